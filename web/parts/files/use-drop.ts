import { type DragEvent, useRef, useState } from 'react'

/** Takes files that are dropped onto an element. Nothing but files is taken, so that text can still be dragged. */
export function useDrop(take: (files: File[]) => void) {
  const [over, setOver] = useState(false)
  // Entering a child leaves its parent: only the balance tells.
  const depth = useRef(0)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  const handlers = {
    onDragEnter(event: DragEvent) {
      if (!hasFiles(event)) return
      depth.current += 1
      setOver(true)
    },
    onDragLeave(event: DragEvent) {
      if (!hasFiles(event)) return
      depth.current = Math.max(0, depth.current - 1)
      if (depth.current === 0) setOver(false)
    },
    onDragOver(event: DragEvent) {
      if (hasFiles(event)) event.preventDefault()
    },
    onDrop(event: DragEvent) {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth.current = 0
      setOver(false)
      take([...event.dataTransfer.files])
    },
  }
  return { over, handlers }
}
