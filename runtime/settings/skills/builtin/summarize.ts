export const summarize = `---
name: summarize
description: Shortens a long page, document, thread or transcript faithfully. Use when the person asks for a summary, the key points, a TL;DR, or what something says.
---
# Summarise

First settle two things, from the request or by a sensible guess that you state: **for whom** (someone who will act,
or someone who wants to know) and **how long** (default: one paragraph and five points).

1. Read all of it. If the text was cut (\`truncated\`), fetch the rest or say which part you have not seen.
2. Find its skeleton: the question it answers, its answer, the grounds, what it asks of the reader.
3. Write the one-sentence version. If you cannot, you have not understood it yet.
4. Add points in the order of their weight, not of the text. Keep names, numbers, dates and conditions exactly.
5. Keep the author's certainty: "may reduce" does not become "reduces".
6. List apart: decisions, deadlines, open questions, tasks with the one who has them.

Nothing of your own goes in. If something in the text looks wrong, say so after the summary under "Note".
For a thread: who wants what, what is agreed, what is stuck.
`
