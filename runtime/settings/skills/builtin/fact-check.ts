export const factCheck = `---
name: fact-check
description: Checks whether a claim, message, article or quotation is true. Use when the person asks "is this true", forwards something suspicious, or before a claim of weight goes into a text of theirs.
---
# Fact check

1. **List the claims.** Break the text into statements that are true or false by themselves. Leave out opinions and
   predictions, and say that you did.
2. **Rank them.** Check first what the rest depends on, and whatever would do harm if wrong (health, money, law).
3. **Find the origin.** Who said it first, when, on what ground? A quotation: find the full passage. A number: find the
   table. A picture or video: say plainly that you cannot judge it from text.
4. **Look for the contrary.** Search for what would be there if the claim were false, not only for what supports it.
5. **Judge each claim:** true · mostly true · missing context · unproven · false. Unproven is an honest verdict.

Answer with a table: claim, verdict, the one piece of evidence that decides, its address. Then two sentences on the
whole. Name the date of your check, because facts change.

Do not take agreement between copies for confirmation, and do not call something false because you found nothing.
`
