/**
 * Evaluated before the code, which can reach nothing of it but `console`. Returns what the host calls later, so that
 * the code cannot replace it.
 */
export const prelude = `((write, ask, callNative, read) => {
  const { parse, stringify } = JSON, { freeze } = Object, text = String, Failure = Error, Wrong = TypeError, OutOfRange = RangeError
  const evaluate = eval
  const native = (name, ...values) => {
    const { value, error, kind } = parse(callNative(name, stringify(values)))
    if (error === undefined) return value
    throw new (kind === 'RangeError' ? OutOfRange : kind === 'TypeError' ? Wrong : Failure)(error)
  }
  const load = (library) => {
    globalThis.hearthdNative = native
    try { evaluate(read(library)) } finally { delete globalThis.hearthdNative }
  }
  const openers = {}, open = (library) => openers[library]()
  const lazy = (library, names) => {
    openers[library] = () => void globalThis[names[0]]
    for (const name of names) Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        for (const other of names) delete globalThis[other]
        load(library)
        return globalThis[name]
      },
      set(value) { Object.defineProperty(globalThis, name, { value, configurable: true, writable: true }) },
    })
  }
  lazy('url', ['URL', 'URLSearchParams', 'structuredClone'])
  lazy('web', ['TextEncoder', 'TextDecoder', 'btoa', 'atob', 'Buffer', 'crypto'])
  lazy('intl', ['Intl'])
  lazy('luxon', ['DateTime', 'Duration', 'Interval', 'luxon'])
  lazy('jmespath', ['jmespath'])
  lazy('xml', ['xml'])
  lazy('markup', ['markup'])
  const localized = (owner, names) => {
    for (const name of names) {
      const own = owner[name]
      owner[name] = function (...values) {
        owner[name] = own
        void globalThis.Intl
        return owner[name].apply(this, values)
      }
    }
  }
  localized(Number.prototype, ['toLocaleString'])
  localized(Date.prototype, ['toLocaleDateString', 'toLocaleTimeString', 'toLocaleString'])
  const show = (value) => {
    try {
      if (typeof value === 'string') return value
      if (value instanceof Failure) return text(value)
      return stringify(value) ?? text(value)
    } catch { return '[unprintable]' }
  }
  const log = (...values) => {
    let line = ''
    for (let index = 0; index < values.length; index++) line += (index ? ' ' : '') + show(values[index])
    write(line)
  }
  globalThis.console = { log, info: log, warn: log, error: log, debug: log }
  const describe = (thrown) => {
    if (!(thrown instanceof Failure)) return stringify({ message: show(thrown) })
    return stringify({ name: text(thrown.name), message: text(thrown.message), stack: text(thrown.stack) })
  }
  const offer = (names) => {
    const tools = {}
    for (let index = 0; index < names.length; index++) {
      const name = names[index]
      tools[name] = async (input = {}) => parse(await ask(name, stringify(input)))
    }
    globalThis.tools = freeze(tools)
  }
  return { parse, stringify, describe, offer, load, open }
})`
