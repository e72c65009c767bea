export interface Option {
  value: string
  label: string
}

/** Labels by value, as the options of a select. */
export const optionsOf = (labels: Record<string, string | { label: string }>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({
    value,
    label: typeof label === 'string' ? label : label.label,
  }))

/** Things by their names, as the options of a select. */
export const optionsFor = (things: readonly { id: string; name: string }[] = []): Option[] =>
  things.map(({ id, name }) => ({ value: id, label: name }))
