const key = 'hearthd.reloaded'
const missingCode = /dynamically imported module|importing a module script failed/i

/**
 * Reloads the page if an error says that its code is gone: an upgrade gives the code of pages that were not opened yet
 * another name. Once per minute, and only if the daemon can be reached.
 */
export async function reloadAfterUpgrade(error: unknown): Promise<void> {
  if (!missingCode.test(String(error)) || Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return
  const health = await fetch('/health/live').catch(() => null)
  if (!health?.ok) return
  sessionStorage.setItem(key, String(Date.now()))
  location.reload()
}
