import { expect, test } from 'vitest'
import type { Mail, MailServer } from '../../runtime/ports/mail.ts'

/** What every port that reads mail must do. `open` starts a server with these mails, numbered from 1. */
export function inboxContract(
  open: (
    mails: (string | { raw: string; received: string })[],
  ) => Promise<{ mail: Mail; server: MailServer; deliver(raw: string): void } & AsyncDisposable>,
): void {
  const limits = { max_mails: 10, max_bytes: 1_000 }
  const mailOf = (text: string) => `From: ada@example.com\r\nSubject: x\r\n\r\n${text}`
  const texts = (mails: { raw: Uint8Array }[]) => mails.map(({ raw }) => Buffer.from(raw).toString())

  test('the first call reads nothing and learns the end of the inbox', async () => {
    await using box = await open([mailOf('one'), mailOf('two')])
    expect(await box.mail.receive({ after: null, ...limits, reread_since: 0 }, box.server)).toEqual({
      mails: [],
      next: { uid_validity: '7', uid: 2, unread: [] },
    })
  })

  test('reads what is new, oldest first, at most as many as asked for', async () => {
    await using box = await open([mailOf('one'), mailOf('two'), mailOf('three'), mailOf('four')])
    const after = { uid_validity: '7', uid: 1 }
    const inbox = await box.mail.receive({ after, ...limits, max_mails: 2 }, box.server)
    expect(texts(inbox.mails)).toEqual([mailOf('two'), mailOf('three')])
    expect(inbox.next.uid).toBe(3)
  })

  test('nothing new is nothing', async () => {
    await using box = await open([mailOf('one')])
    const after = { uid_validity: '7', uid: 1 }
    expect(await box.mail.receive({ after, ...limits }, box.server)).toMatchObject({
      mails: [],
      next: { uid: 1 },
    })
    await using empty = await open([])
    expect(await empty.mail.receive({ after: { ...after, uid: 0 }, ...limits }, empty.server)).toMatchObject({
      mails: [],
      next: { uid: 0 },
    })
  })

  test('a server that renumbered its mails begins again at the end', async () => {
    await using box = await open([mailOf('one')])
    const inbox = await box.mail.receive({ after: { uid_validity: '6', uid: 0 }, ...limits }, box.server)
    expect(inbox).toEqual({ mails: [], next: { uid_validity: '7', uid: 1, unread: [] } })
  })

  test('or first reads the recent mails again, page by page', async () => {
    const time = Date.parse('2026-01-05T12:00:00Z')
    const dated = (received: string, sent = received) => ({
      received,
      raw: mailOf('x').replace('Subject', `Date: ${sent}\r\nSubject`),
    })
    await using box = await open([
      dated('05-Jan-2026 12:30:00 +0000'),
      dated('05-Jan-2026 11:59:00 +0000'),
      dated('01-Jan-2026 12:00:00 +0000'),
      dated('05-Jan-2026 14:00:00 +0000', '1 Dec 2025 12:00:00 +0000'),
      dated('05-Jan-2026 14:00:00 +0000'),
    ])
    const renumbered = { after: { uid_validity: '6', uid: 9 }, ...limits, reread_since: time }
    const { mails, next: first } = await box.mail.receive(renumbered, box.server)
    expect({ mails, first }).toEqual({ mails: [], first: { uid_validity: '7', uid: 5, unread: [1, 5] } })
    const page = await box.mail.receive({ after: first, ...limits, max_mails: 1 }, box.server)
    expect(page).toMatchObject({ mails: [{ uid: 1 }], next: { uid: 5, unread: [5] } })
    const last = await box.mail.receive({ after: page.next, ...limits }, box.server)
    expect(last).toMatchObject({ mails: [{ uid: 5 }], next: { uid: 5, unread: [] } })
  })

  test('of a long mail only the beginning is read', async () => {
    await using box = await open([mailOf('x'.repeat(5_000))])
    const { mails } = await box.mail.receive({ after: { uid_validity: '7', uid: 0 }, ...limits }, box.server)
    expect(mails).toMatchObject([{ uid: 1, raw: { length: 1_000 }, size_bytes: mailOf('').length + 5_000 }])
  })

  test('an inbox that is watched is read at once, and again when an email arrives', async () => {
    await using box = await open([mailOf('one'), mailOf('two')])
    const stop = new AbortController()
    const query = { after: { uid_validity: '7', uid: 0 }, ...limits }
    const seen: string[] = []
    const watching = async () => {
      for await (const { mails, next } of box.mail.watch(query, box.server, stop.signal)) {
        seen.push(...texts(mails))
        if (next.uid === 4) stop.abort(new Error('enough'))
        // The second one arrives before the server is asked to announce emails.
        else if (next.uid === 2 && mails.length > 0) for (const text of ['three', 'four']) box.deliver(mailOf(text))
      }
    }
    await expect(watching()).rejects.toThrow('enough')
    expect(seen).toEqual(['one', 'two', 'three', 'four'].map(mailOf))
  })
}
