export const draftMessage = `---
name: draft-message
description: Writes or answers an email, letter or chat message in the person's voice. Use for replies, requests, complaints, refusals, apologies, invitations and follow-ups.
---
# Draft a message

1. **Know the aim.** What should the reader do or feel after reading? If the request does not say it, ask that one
   question.
2. **Know the two people.** Search memory for the recipient, the matter so far, and how the person writes (greeting,
   length, formal or not). If there is an earlier message of theirs, take its tone.
3. **Write it short.**
   - Subject: the matter and what is wanted ("Invoice 4711: please correct the address").
   - First sentence: the request or the answer. Reasons after it, as few as carry it.
   - One matter per message. A date for whatever is expected.
   - Close in their usual way.
4. **Difficult messages.** A no: say it in the first two sentences, one honest reason, an alternative if there is a
   real one. A complaint: facts with dates, what you want, by when; no adjectives. An apology: what happened, its
   effect, what changes; no "if".
5. **Check.** Names, dates, amounts, attachments mentioned. Nothing promised that the person did not promise. No
   invented facts; leave [gaps] visible instead.

Show the draft, then at most two remarks on choices you made. Never send anything without being told to send this text.
`
