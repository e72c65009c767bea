import type { Dialog, Page } from 'playwright'
import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import type { OpenDialog } from '../../../runtime/ports/browser-standing.ts'

/** The dialogs that are open: a page stands still until its own is answered, and the other pages go on. */
export class Dialogs {
  readonly #open = new Map<Page, Dialog>()
  readonly #waiting = new Map<Page, Set<() => void>>()

  watch(page: Page): void {
    page.on('dialog', (dialog) => this.hear(page, dialog))
    page.on('close', () => this.#open.delete(page))
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#open.delete(page)
    })
  }

  hear(page: Page, dialog: Dialog): void {
    this.#open.set(page, dialog)
    this.#wake(page)
    // An act that opened a window stands still with it.
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
    if (!dialog)
      throw new BrowserFailure(
        'element_not_found',
        'No dialog is open',
        'Take a snapshot to see the page as it is',
      )
    this.#open.delete(page)
    await (accept ? dialog.accept(text) : dialog.dismiss())
  }

  /** The end of an act, or the dialog that it opened, whichever comes first: the act itself ends with the dialog. */
  async orDialog(page: Page, act: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(page) ?? new Set()
    this.#waiting.set(page, waiting.add(resolve))
    // What goes wrong after the dialog has opened is nobody's to hear.
    act.catch(() => undefined)
    try {
      await Promise.race([act, promise])
    } finally {
      waiting.delete(resolve)
    }
  }
}
