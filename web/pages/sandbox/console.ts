import { createParser } from 'eventsource-parser'
import { useEffect, useRef, useState } from 'react'
import type { CommandEnd } from '../../../runtime/sandbox/schema.ts'
import { readable } from '../../api/error.ts'
import { useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'

export interface Line {
  key: number
  kind: 'command' | 'stdout' | 'stderr' | 'note'
  text: string
}

/** Characters that are shown; older output is dropped. */
const maxText = 1_000_000

/** The output of the commands of one container since the page was opened. A command ends when the page is left. */
export function useConsole(id: string) {
  const api = useApi()
  const refresh = useRefresh()
  const [lines, setLines] = useState<Line[]>([])
  const [running, setRunning] = useState(false)
  const stop = useRef<AbortController>(undefined)
  const key = useRef(0)
  useEffect(() => () => stop.current?.abort(), [])

  const add = (kind: Line['kind'], text: string) =>
    setLines((known) => {
      key.current += 1
      const begins = kind === 'command' || kind === 'note'
      const gap = begins && known.at(-1)?.text.endsWith('\n') === false ? '\n' : ''
      return newest([...known, { key: key.current, kind, text: gap + text }])
    })

  async function run(command: string): Promise<void> {
    const control = new AbortController()
    stop.current = control
    setRunning(true)
    add('command', `$ ${command}\n`)
    try {
      const response = await api.open('POST', '/api/sandbox/containers/{id}/exec', {
        params: { id },
        body: { command },
        signal: control.signal,
      })
      if (response.body) await read(response.body, add)
    } catch (error) {
      add('note', control.signal.aborted ? 'Stopped\n' : `${readable(error)}\n`)
    } finally {
      setRunning(false)
      await refresh(`/api/sandbox/containers/${id}`)
    }
  }

  return { lines, running, run, stop: () => stop.current?.abort() }
}

function newest(lines: Line[]): Line[] {
  let room = maxText
  const first = lines.findLastIndex(({ text }) => {
    room -= text.length
    return room < 0
  })
  return lines.slice(first + 1)
}

/** Keeps the end of the output in view until somebody scrolls up. */
export function useFollow(lines: readonly Line[]) {
  const ref = useRef<HTMLPreElement>(null)
  const follows = useRef(true)
  useEffect(() => {
    if (lines.at(-1)?.kind === 'command') follows.current = true
    if (ref.current && follows.current) ref.current.scrollTop = ref.current.scrollHeight
  }, [lines])
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = ref.current ?? {}
    follows.current = scrollHeight - scrollTop - clientHeight < nearEnd
  }
  return { ref, onScroll }
}

/** Pixels. */
const nearEnd = 40

async function read(body: ReadableStream<Uint8Array>, add: (kind: Line['kind'], text: string) => void): Promise<void> {
  const parser = createParser({
    onEvent({ event, data }) {
      const value = JSON.parse(data)
      if (event === 'output') add(value.stream === 'stderr' ? 'stderr' : 'stdout', value.text)
      if (event === 'exit') add('note', endOf(value))
      if (event === 'error') add('note', `${value.message}\n`)
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

function endOf({ exit_code, error, truncated }: CommandEnd): string {
  const cut = truncated ? 'The output is longer than shown\n' : ''
  if (error !== null) return `${cut}${error}\n`
  return exit_code === 0 ? cut : `${cut}Exit code ${exit_code}\n`
}
