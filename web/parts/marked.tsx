const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

const plain = (html: string) =>
  html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)

/** HTML in which only `<mark>` is markup, as the daemon's searches give it; nothing else in it is ever read as a tag. */
export function Marked({ html }: { html: string }) {
  return html.split(/<\/?mark>/).map((part, index) => {
    // Pieces have no identity but their place, and every second one was marked.
    const key = index
    return index % 2 === 1 ? <mark key={key}>{plain(part)}</mark> : <span key={key}>{plain(part)}</span>
  })
}
