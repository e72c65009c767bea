import { type DragEvent, useRef, useState } from 'react'

/** Accepts files dropped onto an element. Other content is ignored, so that text can still be dragged. */
export function useDrop(take: (files: File[]) => void) {
  const [over, setOver] = useState(false)
  // Entering a child also leaves its parent, so the number of nested elements is counted.
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
