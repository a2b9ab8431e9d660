package transcript

import "strings"

// geminiShell is the tool that runs commands. For the client a call of it is a success
// even if the command failed; only the answer tells.
const geminiShell = "run_shell_command"

// shellFailure returns how a command failed, or "". What the command printed is followed
// by lines about its process: older versions write all of them, newer ones only those
// that say something.
func shellFailure(answer string) string {
	answer = strings.TrimPrefix(answer, "<untrusted_context>\n")
	answer = strings.TrimSuffix(strings.TrimSpace(answer), "\n</untrusted_context>")
	if beginsWith(answer, "Command was automatically cancelled ", "Command was cancelled by user ") {
		sentence, _, _ := strings.Cut(answer, " Below is the output ")
		return firstLine(sentence, 200)
	}
	if !beginsWith(answer, "Output: ", "Command: ") {
		return ""
	}
	for answer != "" {
		at := strings.LastIndexByte(answer, '\n')
		name, value, _ := strings.Cut(answer[at+1:], ": ")
		said := value != "0" && value != "(none)"
		switch {
		case name == "Exit Code" && said:
			return "exit code " + value
		case name == "Signal" && said:
			return "signal " + value
		case name != "Exit Code" && name != "Signal" && name != "Background PIDs" && name != "Process Group PGID":
			return ""
		}
		answer = answer[:max(at, 0)]
	}
	return ""
}
