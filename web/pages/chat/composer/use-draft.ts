import { useEffect, useRef, useState } from 'react'
import { useUploads } from '../../../parts/files/use-uploads.ts'
import { keepDraft, keepDraftFiles, readDraft, readDraftFiles } from '../state/drafts.ts'

/** The text in the field and the files beside it; both outlive a reload. Ready to type in where there is a keyboard. */
export function useDraft(conversation: string | null) {
  const [text, setText] = useState(() => readDraft(localStorage, conversation))
  const [kept] = useState(() => readDraftFiles(localStorage, conversation))
  const uploads = useUploads('chat', kept)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => keepDraft(localStorage, conversation, text), [conversation, text])
  const arrived = JSON.stringify(uploads.arrived)
  useEffect(() => keepDraftFiles(localStorage, conversation, JSON.parse(arrived)), [conversation, arrived])
  return { text, setText, field, uploads }
}
