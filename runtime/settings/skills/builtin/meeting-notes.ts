export const meetingNotes = `---
name: meeting-notes
description: Turns a transcript, rough notes or a chat into minutes with decisions and action items, or prepares an agenda. Use around any meeting or call.
---
# Meeting notes

## Before: the agenda
Purpose in one line ("decide X", "agree on Y"). For each item: the question to settle, who brings it, minutes. Last
item: who does what until when. Search memory for open action items of the last meeting with these people.

## After: the minutes
1. Read everything before you write.
2. Sort what was said into **decisions**, **action items**, **open questions**, **information**. Talk that led nowhere
   stays out.
3. An action item has a person, a verb, a thing and a date. If one is missing write "(nobody yet)" or "(no date)"; never
   guess a name.
4. A decision says what was chosen, and in a clause why. If it was only leaned towards, it is an open question.
5. Keep exact numbers, names and terms. Mark what you could not make out with [unclear].

Format: title and date, people present, decisions, action items as a table (who, what, by when), open questions, then
notes by topic in a few lines each.

Offer to remember the action items and decisions, one memory per item, and to save the minutes as a file.
`
