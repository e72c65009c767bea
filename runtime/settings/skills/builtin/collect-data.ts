export const collectData = `---
name: collect-data
description: Gathers facts from pages, files or APIs into one clean table. Use for price lists, comparisons, contact lists, opening hours, API results, or "put this into a table or CSV".
---
# Collect data

1. **Columns first.** Agree on them with the person: name, what it means, unit, an example. Add \`source\` and \`as_of\`.
2. **Look for the structured source.** An API, a CSV download or a feed beats a page. Fetch JSON with \`http_request\`,
   pages with \`web_fetch\`.
3. **Try it on one row.** Show it. Then go on with the rest; put the list of sources on the to-do list if there are many.
4. **Clean as you go.** One unit per column, ISO dates, numbers without thousands separators, currencies named. Keep the
   original beside a converted value. Unknown is empty, never 0 or a guess.
5. **Check.** Count rows against what the source says there are. Look at the smallest, the largest and the empty values;
   reopen two rows at random and compare with the source. Look for the same thing under two names.
6. **Deliver.** Up to twenty rows: a table in the answer. More: write \`data/<name>.csv\` to the workspace (comma, quotes
   where needed, header row) and show the first five rows, the count and what is missing.

Respect what a site asks: no sign-in walls, no dozens of requests a minute. Data about private persons only when the
person has a right to it.
`
