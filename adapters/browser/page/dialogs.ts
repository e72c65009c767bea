import type { Dialog, Page } from 'playwright'
import { BrowserFailure, type OpenDialog } from '../../../runtime/ports/browser.ts'

/** The open dialogs. A page is blocked until its dialog is answered; other pages are not. */
export class Dialogs {
  readonly #open = new Map<Page, Dialog>()
  readonly #waiting = new Map<Page, Set<() => void>>()

  watch(page: Page): void {
    page.on('dialog', (dialog) => this.#opened(page, dialog))
    page.on('close', () => this.#open.delete(page))
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#open.delete(page)
    })
  }

  #opened(page: Page, dialog: Dialog): void {
    this.#open.set(page, dialog)
    this.#wake(page)
    // The act that opened this window is blocked with it.
    page.opener().then(
      (opener) => opener && this.#wake(opener),
      () => undefined,
    )
  }

  #wake(page: Page): void {
    for (const wake of this.#waiting.get(page) ?? []) wake()
  }

  of(page: Page): Omit<OpenDialog, 'tab_id'> | null {
    const dialog = this.#open.get(page)
    if (!dialog) return null
    return { type: dialog.type(), message: dialog.message(), default_value: dialog.defaultValue() }
  }

  refuseWhileOpen(page: Page): void {
    const dialog = this.of(page)
    if (!dialog) return
    throw new BrowserFailure(
      'dialog_open',
      `The page shows a dialog (${dialog.type}): ${dialog.message.slice(0, 200)}`,
      'Answer it first with handle_dialog',
    )
  }

  /** Answers the open dialog. */
  async answer(
    page: Page,
    { accept = true, text }: { accept?: boolean | undefined; text?: string | undefined },
  ): Promise<void> {
    const dialog = this.#open.get(page)
    if (!dialog) throw new BrowserFailure('element_not_found', 'No dialog is open', 'Take a snapshot to see the page')
    this.#open.delete(page)
    await (accept ? dialog.accept(text) : dialog.dismiss())
  }

  /** Resolves when an act ends or opens a dialog: the act itself ends once the dialog is answered. */
  async orDialog(page: Page, act: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(page) ?? new Set()
    this.#waiting.set(page, waiting.add(resolve))
    // A failure after the dialog has opened is ignored.
    act.catch(() => undefined)
    try {
      await Promise.race([act, promise])
    } finally {
      waiting.delete(resolve)
    }
  }
}
