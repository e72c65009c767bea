import { browserKind, browserName } from './about.ts'
import { actions, capabilities, measureHealth, reasons, type Show, titles } from './actions.ts'
import './device.css'
import { type Approval, type Incoming, type Link, openLink } from './link.ts'
import { forget, load, type Stored, save } from './store.ts'

type Child = Node | string | false | null

/** Creates an element with attributes and children; text is never parsed as HTML. */
function h(tag: string, attributes: Record<string, string | (() => void)> = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') element.setAttribute(name, value)
    else element.addEventListener(name, value)
  }
  element.append(...children.filter((child) => child !== false && child !== null))
  return element
}

interface Message {
  title: string
  body?: string | undefined
  href?: string | undefined
}

interface State {
  stored: Stored | null
  name: string
  connection: 'connecting' | 'connected' | 'ended'
  problem: string
  allowed: string[]
  approvals: Approval[]
  messages: Message[]
  /** The daemon's key for Web Push; null if it sends none. */
  push_key: string | null
  link: Link | null
}

const state: State = {
  stored: load(),
  name: '',
  connection: 'connecting',
  problem: '',
  allowed: [],
  approvals: [],
  messages: [],
  push_key: null,
  link: null,
}

const page = document.querySelector('#device') as HTMLElement

function render(): void {
  const parts: Child[] = [
    h('header', {}, h('h1', {}, 'hearthd'), state.stored ? connectionBadge() : h('span', {}, 'Not paired')),
    state.problem !== '' && h('p', { role: 'alert', class: 'problem' }, state.problem),
    ...(state.stored
      ? [approvalsSection(), messagesSection(), capabilitiesSection(), unpairSection()]
      : [pairSection()]),
  ]
  page.replaceChildren(...parts.filter((part) => part !== false && part !== null))
}

function connectionBadge(): HTMLElement {
  const label = { connecting: 'Connecting…', connected: `Connected as ${state.name}`, ended: 'Not connected' }
  return h('span', { class: `badge ${state.connection}`, role: 'status' }, label[state.connection])
}

const section = (title: string, ...children: Child[]) =>
  h('section', { 'aria-label': title }, h('h2', {}, title), ...children)

const platform = /android/i.test(navigator.userAgent)
  ? 'android'
  : /iphone|ipad/i.test(navigator.userAgent)
    ? 'ios'
    : 'browser'

const about = {
  model: browserKind,
  os_version: navigator.platform.slice(0, 100) || null,
  client_version: 'web',
}

/** The code of a pairing link; it is in the fragment so that it never appears in server logs. */
function codeOfLink(): string {
  const code = /^#(\d{6})$/.exec(location.hash)?.[1] ?? ''
  if (location.hash) history.replaceState(null, '', location.pathname)
  return code
}

/** What the form shows, so that a wrong code does not discard the name. */
const draft = { code: codeOfLink(), name: '' }

function pairSection(): HTMLElement {
  const code = h('input', {
    ...{ id: 'code', inputmode: 'numeric', autocomplete: 'one-time-code', pattern: '\\d{6}', maxlength: '6' },
    ...{ required: '', value: draft.code },
  }) as HTMLInputElement
  const name = h('input', {
    id: 'name',
    required: '',
    maxlength: '100',
    value: draft.name || browserName,
  }) as HTMLInputElement
  const button = h('button', { type: 'submit', class: 'main' }, 'Pair this browser') as HTMLButtonElement
  const form = h(
    'form',
    {},
    h('label', { for: 'code' }, 'Pairing code'),
    code,
    h('label', { for: 'name' }, 'Name of this device'),
    name,
    button,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    state.problem = ''
    Object.assign(draft, { code: code.value, name: name.value })
    const problem = await pair(code.value, name.value)
    if (problem === null) return connect()
    state.problem = problem
    render()
  })
  return section('Pair', h('p', {}, 'Create a code on the Devices page of hearthd. It is valid for 5 minutes.'), form)
}

/** Returns null, or why it did not work. */
async function pair(code: string, name: string): Promise<string | null> {
  try {
    const response = await fetch('/api/auth/device/pair', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name, platform, ...about, capabilities }),
    })
    const answer = await response.json()
    if (!response.ok) return answer.message ?? answer.error
    state.stored = { device_id: answer.device_id, device_token: answer.device_token, received: 0 }
    save(state.stored)
    return null
  } catch {
    return 'Cannot reach hearthd. Check that it is running and try again.'
  }
}

function approvalsSection(): Child {
  if (!state.allowed.includes('approvals')) return null
  if (state.approvals.length === 0)
    return section('Pending approvals', h('p', { class: 'quiet' }, 'No approvals are waiting for you.'))
  return section('Pending approvals', ...state.approvals.map(approvalCard))
}

function approvalCard({ id, tool, summary, agent_reason, risk, input_text }: Approval): HTMLElement {
  const answer = (approved: boolean) => () => {
    state.link?.send({ type: 'approval', approval_id: id, approved })
    for (const button of card.querySelectorAll('button')) button.disabled = true
  }
  const card = h(
    'article',
    { 'aria-label': summary },
    h('p', { class: 'summary' }, summary),
    h('p', { class: 'quiet' }, `${tool} · ${risk} risk`),
    agent_reason !== null && h('p', {}, `The agent says: “${agent_reason}”`),
    input_text !== null && h('pre', { tabindex: '0', 'aria-label': 'Input' }, input_text),
    // Nothing is approved without its input on screen.
    input_text === null && h('p', {}, 'The input is too long for this page. Approve it in the web UI.'),
    h(
      'div',
      { class: 'buttons' },
      input_text !== null && h('button', { class: 'main', click: answer(true) }, 'Approve'),
      h('button', { click: answer(false) }, 'Reject'),
    ),
  )
  return card
}

function messagesSection(): Child {
  if (state.messages.length === 0) return null
  return section(
    'Messages',
    ...state.messages.map(({ title, body, href }) =>
      h(
        'article',
        {},
        h('p', { class: 'summary' }, title),
        href
          ? h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, body ?? href)
          : body
            ? h('p', {}, body)
            : null,
      ),
    ),
  )
}

function capabilitiesSection(): HTMLElement {
  const rows = Object.entries(reasons).map(([name, reason]) => {
    const isAllowed = state.allowed.includes(name)
    const status = reason ?? (isAllowed ? 'Allowed' : 'Needs approval on the Devices page')
    return h('li', {}, h('span', {}, titles[name] ?? name), h('span', { class: isAllowed ? 'on' : 'quiet' }, status))
  })
  return section('What this device may do', h('ul', {}, ...rows), notificationButton())
}

function notificationButton(): Child {
  if (!('Notification' in window) || !isSecureContext)
    return h(
      'p',
      { class: 'quiet' },
      'System notifications require HTTPS or localhost. Until then, messages appear on this page while it is open.',
    )
  if (Notification.permission === 'denied')
    return h('p', { class: 'quiet' }, 'Notifications are blocked in this browser’s settings.')
  if (Notification.permission === 'granted') return null
  const ask = async () => {
    await Notification.requestPermission()
    await subscribe()
    render()
  }
  return h('button', { click: () => void ask() }, 'Allow notifications')
}

/** Lets the daemon send notifications while the page is closed, where the browser supports it. */
async function subscribe(): Promise<void> {
  const { push_key, link } = state
  if (!push_key || !('serviceWorker' in navigator) || Notification.permission !== 'granted') return
  try {
    const worker = await navigator.serviceWorker.ready
    const subscription = await worker.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: push_key,
    })
    const { endpoint, keys } = subscription.toJSON()
    link?.send({ type: 'push', subscription: { endpoint, keys } })
  } catch {
    // Without a push service, messages arrive only while the page is open.
  }
}

/** Ends notifications, which would still arrive while the page is closed. */
async function unsubscribe(): Promise<void> {
  try {
    const worker = await navigator.serviceWorker?.getRegistration('/device')
    await (await worker?.pushManager?.getSubscription())?.unsubscribe()
  } catch {
    // Without a push service there is no subscription.
  }
}

function unpairSection(): HTMLElement {
  const unpair = () => {
    if (!confirm('Remove the token from this browser? It must be paired again.')) return
    state.link?.send({ type: 'push', subscription: null })
    state.link?.close()
    void unsubscribe()
    forget()
    Object.assign(state, { stored: null, link: null, allowed: [], approvals: [], problem: '' })
    render()
  }
  return h('footer', {}, h('button', { click: unpair }, 'Remove this device'))
}

const show: Show = (message) => {
  state.messages = [message, ...state.messages].slice(0, 50)
  render()
}

function received(frame: Incoming): void {
  if (frame.type === 'welcome') {
    state.name = frame.name
    state.allowed = frame.allowed_commands
    state.push_key = frame.push_public_key ?? null
    void subscribe()
  } else if (frame.type === 'allowed') {
    state.allowed = frame.allowed_commands
  } else if (frame.type === 'approvals') {
    state.approvals = frame.approvals
  } else if (frame.type === 'approval_result') {
    state.problem = frame.ok ? '' : (frame.error ?? 'Your answer could not be sent.')
  } else return
  render()
}

function connect(): void {
  const { stored } = state
  if (!stored) {
    render()
    return
  }
  state.connection = 'connecting'
  state.link = openLink({
    ...{ stored, about, capabilities, health: measureHealth, received },
    async perform({ command, params, signal }) {
      const action = Object.hasOwn(actions, command) ? actions[command] : undefined
      if (!action || !capabilities.includes(command)) throw new Error(`This browser does not support ${command}`)
      return action(params, signal, show)
    },
    changed(connection, reason = '') {
      state.connection = connection
      if (reason) state.problem = reason
      if (reason.includes('Pair it again')) {
        void unsubscribe()
        forget()
        state.stored = null
      }
      render()
    },
  })
  render()
}

if ('serviceWorker' in navigator)
  navigator.serviceWorker.register('/worker.js', { scope: '/device' }).catch(() => undefined)
connect()
