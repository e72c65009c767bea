/** Bytes of an error body that are read. */
const longestError = 64 * 1024

/**
 * Provider packages read the body of a refusal to its end, and take any body of a 200 for an event stream:
 * an HTML page from a proxy, or a gateway's JSON error, would look like an answer that broke off. This reads
 * what is not a stream here, within bounds, and hands on a refusal.
 */
export function refuseWholeAnswers(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok && !isDocument(response)) return response
    const text = await readText(response, longestError)
    return new Response(text || null, {
      status: response.ok ? 502 : response.status,
      headers: response.headers,
    })
  }
}

function isDocument(response: Response): boolean {
  return /\b(json|html|xml)\b/.test(response.headers.get('content-type') ?? '')
}

/** The first `limit` bytes as text; the rest is not fetched. */
export async function readText(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    bytes += chunk.byteLength
    if (bytes >= limit) break
  }
  return text
}
