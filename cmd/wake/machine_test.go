package main

import "testing"

// A Mac is known by the name in its settings, whatever else they say.
func TestLocalName(t *testing.T) {
	const head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n\t<key>System</key>\n\t<dict>\n" +
		"\t\t<key>Network</key>\n\t\t<dict>\n\t\t\t<key>HostNames</key>\n\t\t\t<dict>\n"
	const tail = "\t\t\t</dict>\n\t\t</dict>\n\t\t<key>System</key>\n\t\t<dict>\n\t\t\t<key>ComputerName</key>\n" +
		"\t\t\t<string>Ann’s MacBook Pro</string>\n\t\t</dict>\n\t</dict>\n</dict>\n</plist>\n"
	for settings, want := range map[string]string{
		head + "\t\t\t\t<key>LocalHostName</key>\n\t\t\t\t<string>Anns-MacBook-Pro</string>\n" + tail: "Anns-MacBook-Pro",
		head + tail: "",
		head + "\t\t\t\t<key>LocalHostName</key>\n\t\t\t\t<data></data>\n" + tail: "",
		head + "\t\t\t\t<key>LocalHostName</key>\n\t\t\t\t<string>Anns":           "",
		"bplist00": "",
		"":         "",
	} {
		if got := localName(settings); got != want {
			t.Errorf("%q, want %q, in %s", got, want, settings)
		}
	}
}
