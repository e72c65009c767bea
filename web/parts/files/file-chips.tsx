import { UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { fileQuery } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import { byteSize } from '../numbers.ts'
import classes from './files.module.css'
import { Thumbnail } from './thumbnail.tsx'

/** Only needed by who opens a file. */
const Preview = lazy(async () => ({ default: (await import('./preview.tsx')).Preview }))

export interface SentFile {
  file_id: string
  name: string
  mime_type: string
  size_bytes: number
}

/** The files of a message. One that was deleted since is named as such. */
export function FileChips({ files }: { files: readonly SentFile[] }) {
  return (
    <ul className={classes.chips} aria-label="Attached files">
      {files.map((file) => (
        <li key={file.file_id}>
          <FileChip file={file} />
        </li>
      ))}
    </ul>
  )
}

function FileChip({ file }: { file: SentFile }) {
  const [opened, setOpened] = useState(false)
  const isGone = useQuery(fileQuery(useApi(), file.file_id)).data === null
  const { name, mime_type, size_bytes } = file
  if (isGone)
    return (
      <span className={classes.chip} data-gone>
        <Words name={name} hint="Deleted file" />
      </span>
    )
  return (
    <>
      <UnstyledButton className={classes.chip} title={name} onClick={() => setOpened(true)}>
        <Thumbnail id={file.file_id} mime_type={mime_type} size_bytes={size_bytes} />
        <Words name={name} hint={byteSize(size_bytes)} />
      </UnstyledButton>
      {opened && (
        <Suspense>
          <Preview file={{ ...file, id: file.file_id }} close={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}

const Words = ({ name, hint }: { name: string; hint: string }) => (
  <span className={classes.chipWords}>
    <span className={classes.chipName}>{name}</span>
    <span className={classes.chipHint}>{hint}</span>
  </span>
)
