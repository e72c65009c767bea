/** The text with a capital first letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const abbreviations = /\b(?:url|id|ip|api|html|css|json|xml|csv|tls|starttls)\b/g

/** A label for a field that has none: `max_results` becomes `Max results`, `base_url` becomes `Base URL`. */
export const labelOf = (name: string): string =>
  capitalized(name.replaceAll(/[_-]/g, ' ').replace(abbreviations, (word) => word.toUpperCase()))

/** What forms call a field. */
export const titleOf = (name: string, { title }: { title?: string }): string =>
  title ?? labelOf(name).replace(/ ID$/, '')
