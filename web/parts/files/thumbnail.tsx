import {
  IconFile,
  IconFileMusic,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconMovie,
  IconPhoto,
} from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { contentQuery, readContent } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import { saveFile } from '../save-file.ts'
import classes from './files.module.css'

/** Images that every browser renders and that cannot contain scripts. */
export const isPicture = (mimeType: string): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(mimeType)

export const isText = (mimeType: string): boolean => mimeType.startsWith('text/') || mimeType === 'application/json'

interface ThumbnailProps {
  /** Absent during the upload. */
  id?: string | undefined
  mime_type: string
  size_bytes: number
}

/** Bytes. Larger images take too long to load for a thumbnail. */
const maxBytes = 4_000_000

/** A thumbnail of an image, or an icon for other files. */
export function Thumbnail({ id, mime_type, size_bytes }: ThumbnailProps) {
  const shown = id !== undefined && isPicture(mime_type) && size_bytes <= maxBytes
  return (
    <span className={classes.thumbnail} aria-hidden>
      {shown ? <Picture id={id} /> : <FileIcon mime_type={mime_type} />}
    </span>
  )
}

function Picture({ id }: { id: string }) {
  const url = useBlobUrl(useQuery(contentQuery(useApi(), id)).data)
  return url ? <img src={url} alt="" /> : <IconPhoto size={18} stroke={1.6} />
}

function FileIcon({ mime_type }: { mime_type: string }) {
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

/** An object URL of a blob, until it is unmounted. The address of the file could not carry the credential. */
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

/** Saves a stored file through the browser's downloads. */
export function useDownload() {
  const api = useApi()
  return useMutation({
    mutationFn: async ({ id, name }: { id: string; name: string }) => saveFile(name, await readContent(api, id)),
  })
}
