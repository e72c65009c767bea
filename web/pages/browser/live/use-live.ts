import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useApi } from '../../../app/services.tsx'
import { LiveStream, type LiveView } from './stream.ts'

/** Milliseconds in which pictures and acts are gathered before the lists beside them are read again. */
const gather = 1_000

export interface Live extends LiveView {
  stream: LiveStream
}

/** The live view, for as long as the page is open. What changes in the picture may be news for the lists beside it. */
export function useLive(): Live {
  const api = useApi()
  const queries = useQueryClient()
  const [stream] = useState(() => new LiveStream(api))
  const view = useSyncExternalStore(stream.watch, stream.view)
  useEffect(() => stream.start(), [stream])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const news = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: ['browser-traffic'] })
      }, gather)
    }
    const leave = [stream.paint(news), stream.watch(news)]
    return () => {
      clearTimeout(timer)
      for (const off of leave) off()
    }
  }, [stream, queries])
  return { ...view, stream }
}
