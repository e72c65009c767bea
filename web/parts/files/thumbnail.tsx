import {
  IconFile,
  IconFileMusic,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconMovie,
  IconPhoto,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { contentQuery } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import classes from './files.module.css'
import { isPicture, isText } from './kinds.ts'

interface ThumbnailProps {
  /** Absent as long as it is on its way. */
  id?: string | undefined
  mime_type: string
  size_bytes: number
}

/** Larger pictures would cost more to fetch than their small copy is worth. */
const largest = 4_000_000

/** A small picture of a picture, or a sign of what it is. */
export function Thumbnail({ id, mime_type, size_bytes }: ThumbnailProps) {
  const shown = id !== undefined && isPicture(mime_type) && size_bytes <= largest
  return (
    <span className={classes.thumbnail} aria-hidden>
      {shown ? <Picture id={id} /> : <Sign mime_type={mime_type} />}
    </span>
  )
}

function Picture({ id }: { id: string }) {
  const url = useBlobUrl(useQuery(contentQuery(useApi(), id)).data)
  return url ? <img src={url} alt="" /> : <IconPhoto size={18} stroke={1.6} />
}

function Sign({ mime_type }: { mime_type: string }) {
  const Icon = iconOf(mime_type)
  return <Icon size={18} stroke={1.6} />
}

function iconOf(type: string) {
  if (type.startsWith('image/')) return IconPhoto
  if (type.startsWith('audio/')) return IconFileMusic
  if (type.startsWith('video/')) return IconMovie
  if (type === 'application/pdf') return IconFileTypePdf
  if (/zip|tar|compressed|7z/.test(type)) return IconFileZip
  return isText(type) ? IconFileText : IconFile
}

/** An address of these bytes, as long as somebody shows them. A plain one could not carry the credential. */
export function useBlobUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}
