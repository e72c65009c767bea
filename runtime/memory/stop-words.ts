/** English words that say nothing about what is looked for; parts of contractions (`what's`, `don't`) among them. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are aren as at be because been before being but by can could couldn d
  did didn do does doesn doing don each else ever for from further get got had hadn has hasn have haven having he
  her here hers him his how i if in into is isn it its itself just ll m me more most much my no nor not now of off
  on once only or other our ours out over own please re s same she should shouldn so some such t tell than that the
  their theirs them then there these they this those through to too under until us ve very was wasn we were weren
  what when where which while who whom whose why will with won would wouldn you your yours`.split(/\s+/),
)
