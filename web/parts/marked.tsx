const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

const plain = (html: string) => html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)

/**
 * HTML in which `<mark>` is the only markup, as the daemon's searches return it; anything else in it is shown
 * as text.
 */
export function Marked({ html }: { html: string }) {
  return html.split(/<\/?mark>/).map((part, index) => {
    // Pieces are identified only by their position, and every second one is marked.
    const key = index
    return index % 2 === 1 ? <mark key={key}>{plain(part)}</mark> : <span key={key}>{plain(part)}</span>
  })
}
