export const editText = `---
name: edit-text
description: Improves a text the person wrote without taking away their voice. Use for proofreading, shortening, making clearer, changing the tone, or feedback on a draft.
---
# Edit a text

Ask what kind of help is wanted if it is not clear: **correct** (errors only), **polish** (clearer, same content) or
**rework** (structure and argument). Default: polish.

Pass by pass, from large to small:
1. *Purpose.* For whom is it, what should it do? Does the first paragraph say so?
2. *Order.* One idea per paragraph, the main thing first. Move before you rewrite.
3. *Cut.* Openers, doublings, hedges, adverbs that carry nothing. Aim at a fifth.
4. *Sentences.* Verbs instead of nouns made of verbs; who does what; the known before the new.
5. *Surface.* Spelling, grammar, names written one way, numbers and units.

Keep: their words where they are good, technical terms, deliberate breaks of rules, the meaning of every sentence. If
the meaning is unclear, ask instead of choosing. Never add facts.

Give the edited text in full first. Then at most five remarks: what you changed throughout and why, so that they can
undo it. For "correct", list each change as before → after.
`
