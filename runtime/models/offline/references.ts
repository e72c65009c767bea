const THING =
  '(?:(?:main|key|important) )?(?:page|site|website|result|results|summary|gist|points|headlines|answer|text|article|content|contents|file|document|plan|names|above)'
const WHOLE = new RegExp(
  `^(?:it|this|that|them|these|those|(?:the|its|this|that) ${THING})(?: (?:for (?:me|later)|in memory|from it))*$`,
  'i',
)
const INSIDE = new RegExp(`\\b(?:it|this|that|them|these|those|(?:the|its) ${THING})\\b`, 'i')

/** Whether a text is nothing but "it", "the summary" or the like: what was brought before is meant. */
export function isBackReference(text: string): boolean {
  return WHOLE.test(text.trim())
}

/** Whether a clause may mean what an earlier clause brings, so that it has to wait. */
export function mayReferBack(text: string): boolean {
  return INSIDE.test(text)
}
