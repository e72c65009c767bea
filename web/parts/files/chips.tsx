import { ActionIcon, Progress, Text, UnstyledButton } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import type { FilePart } from '../../../runtime/chat/schema.ts'
import { readable } from '../../api/error.ts'
import { useOptional } from '../../api/query.ts'
import { lazily } from '../lazily.ts'
import { byteSize } from '../numbers.ts'
import { Hint } from '../typography.tsx'
import classes from './files.module.css'
import { Thumbnail } from './thumbnail.tsx'
import type { UploadItem } from './uploads.ts'

const Preview = lazily(() => import('./preview.tsx'), 'Preview')

/** The files of a message. Deleted ones are labelled as such. */
export function FileChips({ files }: { files: readonly FilePart[] }) {
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

function FileChip({ file }: { file: FilePart }) {
  const [opened, setOpened] = useState(false)
  const { file_id: id, name, mime_type, size_bytes } = file
  const deleted = useOptional('/api/files/{id}', { params: { id } }).data === null
  if (deleted)
    return (
      <span className={classes.chip} data-gone>
        <Label name={name} hint="Deleted file" />
      </span>
    )
  return (
    <>
      <UnstyledButton className={classes.chip} title={name} onClick={() => setOpened(true)}>
        <Thumbnail id={id} mime_type={mime_type} size_bytes={size_bytes} />
        <Label name={name} hint={byteSize(size_bytes)} />
      </UnstyledButton>
      {opened && <Preview file={{ ...file, id }} close={() => setOpened(false)} />}
    </>
  )
}

const Label = ({ name, hint }: { name: string; hint: string }) => (
  <div className="grow">
    <Text inherit truncate>
      {name}
    </Text>
    <Hint truncate>{hint}</Hint>
  </div>
)

/** A file that is being uploaded, was uploaded or failed, with a button that removes it. */
export function UploadChip({ item, remove }: { item: UploadItem; remove: () => void }) {
  const { name, file, error, progress, size_bytes } = item
  const failed = error !== undefined
  return (
    <li className={classes.chip} data-failed={failed || undefined} title={name}>
      <Thumbnail id={file?.id} mime_type={file?.mime_type ?? item.mime_type} size_bytes={size_bytes} />
      <div className="grow">
        <Text inherit truncate>
          {name}
        </Text>
        {failed || file ? (
          <Hint truncate {...(failed && { role: 'alert' })}>
            {failed ? readable(error) : byteSize(size_bytes)}
          </Hint>
        ) : (
          <Progress
            value={progress * 100}
            size="sm"
            mt={4}
            aria-label={`${name}: ${Math.round(progress * 100)} % sent`}
          />
        )}
      </div>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Remove ${name}`} onClick={remove}>
        <IconX size={14} />
      </ActionIcon>
    </li>
  )
}
