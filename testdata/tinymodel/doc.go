// Package tinymodel writes language models of a few hundred kilobytes, so that tests can ask a real
// Ollama server without downloading anything. They are GGUF version 3 files with weights made up here:
//
//   - [Chat] says a given text after a given marker, which the template of the Ollama model puts at the
//     end of the prompt, and nothing that makes sense otherwise;
//   - [Noise] says random characters;
//   - [Embedding] puts texts near one another that share words or synonyms.
package tinymodel

// ContextLength is how many tokens each of the models takes.
const ContextLength = 2048
