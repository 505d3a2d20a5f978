package source_test

import (
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/source"
)

// Headers as telephones of many languages write them, all for 2024-03-15 14:23.
func TestWhatsAppHeaders(t *testing.T) {
	for _, header := range []string{
		"15/03/2024, 14:23 - ",           // British
		"15/03/24, 14:23 - ",             //
		"3/15/24, 2:23 PM - ",            // American
		"3/15/24, 2:23\u202fPM - ",       //
		"15/03/24, 2:23 pm - ",           // Indian
		"15/03/2024, 2:23 p.\u00a0m. - ", // Mexican
		"15/3/24, 14:23 - ",              // Spanish
		"15.03.24, 14:23 - ",             // German
		"15.03.24, 14:23 Uhr - ",         //
		"15/03/2024 14:23 - ",            // Brazilian
		"15/03/2024 à 14:23 - ",          // French
		"15-03-2024 14:23 - ",            // Dutch
		"2024-03-15 14:23 - ",            // Swedish
		"2024-03-15, 2:23 p.m. - ",       // Canadian
		"15.3.2024 klo 14.23 - ",         // Finnish
		"15.03.2024 14.23 - ",            // Danish
		"2024. 03. 15. 14:23 - ",         // Hungarian
		"2024/03/15 14:23 - ",            // Japanese
		"2024/3/15 下午2:23 - ",            // Chinese
		"2024년 3월 15일 오후 2:23, ",         // Korean
		"2024. 3. 15. 오후 2:23 - ",        //
		"١٥/٣/٢٠٢٤، ٢:٢٣ م - ",           // Arabic
		"\u200f15/3/2024، 2:23 م - ",     //
		"15.03.2024 ÖS 2:23 - ",          // Turkish
		"[15/03/2024, 14:23:05] ",        // iOS
		"\u200e[15.03.24, 14:23:05] ",    //
		"[3/15/24, 2:23:05\u202fPM] ",    //
		"[2024-03-15, 2:23:05 PM] ",      //
		"[2024/3/15 下午2:23:05] ",         //
		"[15/3/24 14:23:05] ",            //
		"[15-03-2024 14:23:05] ",         //
	} {
		got, bad := read(t, "chat.txt", header+"Ana: hi\n"+header+"Bo: there\n", source.Options{})
		if len(bad) != 0 || len(got) != 2 || got[0].Speaker != "Ana" || got[0].Text != "hi" {
			t.Errorf("%q: %v, bad %v", header, got, bad)
			continue
		}
		if at := got[0].Time.Truncate(time.Minute).Format("2006-01-02 15:04"); at != "2024-03-15 14:23" {
			t.Errorf("%q is read as %s", header, at)
		}
	}
}

func TestWhatsAppMidnight(t *testing.T) {
	for clock, want := range map[string]string{"12:05 AM": "00:05", "12:05 PM": "12:05", "1:05 AM": "01:05", "11:59 PM": "23:59", "0:05": "00:05"} {
		got, _ := read(t, "chat.txt", "3/15/24, "+clock+" - Ana: hi\n", source.Options{})
		if len(got) != 1 || got[0].Time.Format("15:04") != want {
			t.Errorf("%s: %v", clock, got)
		}
	}
}

func TestDateOrder(t *testing.T) {
	chat := func(dates ...string) string {
		return strings.Join(dates, ", 10:00 - Ana: hi\n") + ", 10:00 - Ana: hi\n"
	}
	now := time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		chat, first string
		o           source.Options
	}{
		{chat("03/04/2024", "13/04/2024"), "2024-04-03", source.Options{}},
		{chat("03/04/2024", "04/13/2024"), "2024-03-04", source.Options{}},
		{chat("03/04/2024", "04/05/2024", "01/06/2024"), "2024-04-03", source.Options{}}, // else it would jump back to January
		{chat("05/05/2024"), "2024-05-05", source.Options{}},
		{chat("03/04/2024"), "", source.Options{}},
		{chat("03/04/2024"), "2024-04-03", source.Options{DateOrder: source.DayMonthYear}},
		{chat("03/04/2024"), "2024-03-04", source.Options{DateOrder: source.MonthDayYear}},
		{chat("03/08/2024"), "2024-03-08", source.Options{Now: now}}, // August has not come yet
		{chat("24/03/31", "24/04/01"), "2024-03-31", source.Options{Now: now}},
		{chat("03.04.24"), "2024-04-03", source.Options{}},
	} {
		c.o.Format = source.WhatsApp
		if c.first == "" {
			for r, err := range open(t, "chat.txt", []byte(c.chat), c.o).Records() {
				if daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), "line 1: 03/04/2024, 10:00 has two readings") {
					t.Errorf("%q: %v, %v, want a question for --date-order", c.chat, r, err)
				}
			}
			continue
		}
		got, bad := read(t, "chat.txt", c.chat, c.o)
		if len(bad) != 0 || len(got) == 0 || got[0].Time.Format("2006-01-02") != c.first {
			t.Errorf("%q: %v, bad %v, want %s", c.chat, got, bad, c.first)
		}
	}
}

// A later export of the same chat gives the old notes again.
func TestWhatsAppGrows(t *testing.T) {
	const early = "15/03/2024, 10:00 - Ana: hi\n15/03/2024, 10:00 - Ana: hi\n"
	a, _ := read(t, "WhatsApp Chat with Ana.txt", early, source.Options{})
	b, _ := read(t, "WhatsApp Chat with Ana(1).txt", early+"16/03/2024, 10:00 - Bo: later\n", source.Options{})
	if len(a) != 2 || len(b) != 3 || a[0].ID != b[0].ID || a[1].ID != b[1].ID || a[0].ID == a[1].ID {
		t.Errorf("%v and then %v", a, b)
	}
}

// What WhatsApp writes by itself is left out and counted; what people write stays, also
// where it looks a little like it.
func TestWhatsAppLeavesOut(t *testing.T) {
	android := []string{
		"Messages and calls are end-to-end encrypted.", "Ana added Bo", "Ana: <Media omitted>", "Ana: <Medien ausgeschlossen>",
		"Ana: This message was deleted", "Ana: You deleted this message.", "Bo: Diese Nachricht wurde gelöscht.",
		"Bo: This message was deleted by me, sorry", "Bo: I <3 pizza", "Bo: <b>loud</b>",
	}
	var chat strings.Builder
	for _, l := range android {
		chat.WriteString("15/03/2024, 14:23 - " + l + "\n")
	}
	s := open(t, "chat.txt", []byte(chat.String()), source.Options{})
	good, _ := gather(t, s)
	var texts []string
	for _, r := range good {
		texts = append(texts, r.Text)
	}
	if got := strings.Join(texts, "|"); got != "This message was deleted by me, sorry|I <3 pizza|<b>loud</b>" {
		t.Errorf("kept %s", got)
	}
	left := s.LeftOut()
	if left["lines of WhatsApp about the chat"] != 2 || left["media that the export leaves out"] != 2 || left["deleted messages"] != 3 {
		t.Errorf("left out %v", left)
	}
	ios := "[15/03/2024, 14:23:05] Ana: \u200eimage omitted\n[15/03/2024, 14:23:06] Ana: \u200eMissed voice call\n[15/03/2024, 14:23:07] Ana: image omitted is what it says\n"
	if good, _ := read(t, "chat.txt", ios, source.Options{}); len(good) != 1 || good[0].Text != "image omitted is what it says" {
		t.Errorf("of an iPhone's chat %v was kept", good)
	}
}
