import { isUiRoute, isUiTarget, uiFile, uiHeaders, uiPage } from '../../runtime/http/ui-pages.ts'
import type { Assets } from './platform.ts'

/** A built file of the UI, or its page for a path that a browser opens; null for anything else. Wakes no object. */
export async function answerWithUi(request: Request, assets: Assets): Promise<Response | null> {
  const { pathname } = new URL(request.url)
  if (!isUiTarget(request.method, pathname)) return null
  const named = uiFile(pathname)
  const response = named && (await sent(request, assets, named))
  if (response) return response
  if (!isUiRoute(pathname, request.headers.get('accept'))) return null
  return sent(request, assets, { file: uiPage, headers: uiHeaders })
}

/** The platform negotiates the encoding, and answers conditional requests. */
async function sent(
  request: Request,
  assets: Assets,
  { file, headers }: { file: string; headers: Record<string, string> },
): Promise<Response | null> {
  const asset = await assets.fetch(new Request(new URL(file, request.url), request))
  if (!asset.ok && asset.status !== 304) return null
  const response = new Response(asset.body, asset)
  for (const header of Object.entries(headers)) response.headers.set(...header)
  return response
}
