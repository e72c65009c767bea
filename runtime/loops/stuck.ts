/** A call with its result, or a whole iteration. Equal texts mean equal calls and results. */
export interface Unit {
  tool: string
  call: string
  outcome: string
  is_error: boolean
}

const maxEqual = 4
const maxEqualErrors = 3
const maxAlternations = 6

/** Why an agent that did this last counts as stuck, or null. Pure. */
export function stuckReason(units: readonly Unit[]): string | null {
  const last = units.at(-1)
  if (!last) return null
  if (areEqual(units.slice(-maxEqual), maxEqual))
    return `the same action had the same result ${maxEqual} times in a row (${last.tool})`
  const sameTool = units.filter(({ tool }) => tool === last.tool).slice(-maxEqualErrors)
  const errors = sameTool.filter(({ is_error }) => is_error)
  if (errors.length === maxEqualErrors && errors.every(({ outcome }) => outcome === last.outcome))
    return `${last.tool} failed ${maxEqualErrors} times with the same error`
  const tail = units.slice(-maxAlternations)
  const [even, odd] = [0, 1].map((parity) => tail.filter((_, index) => index % 2 === parity))
  const half = maxAlternations / 2
  if (even && odd && areEqual(even, half) && areEqual(odd, half))
    return `two actions alternated ${maxAlternations} times with the same results`
  return null
}

function areEqual(units: readonly Unit[], count: number): boolean {
  const [first] = units
  return units.length === count && units.every(({ call, outcome }) => call === first?.call && outcome === first.outcome)
}

interface Done {
  summary: string
  actions: readonly Unit[]
}

/** Like `stuckReason`, for iterations: their actions in order, and each iteration as one action. */
export function stuckIterations(iterations: readonly Done[]): string | null {
  const actions = iterations.flatMap((iteration) => iteration.actions)
  const wholes = iterations.map(({ summary, actions }): Unit => {
    const did = actions.map(({ call, outcome }) => `${call} ${outcome}`)
    const outcome = did.length > 0 ? did.join('\n') : summary
    return { tool: 'the whole iteration', call: 'iteration', outcome, is_error: false }
  })
  return stuckReason(actions) ?? stuckReason(wholes)
}
