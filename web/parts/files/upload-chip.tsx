import { ActionIcon, Progress } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { readable } from '../../api/error.ts'
import { byteSize } from '../numbers.ts'
import classes from './files.module.css'
import { Thumbnail } from './thumbnail.tsx'
import type { UploadItem } from './use-uploads.ts'

interface UploadChipProps {
  item: UploadItem
  remove: () => void
}

/** A file on its way or arrived, and how to take it back. */
export function UploadChip({ item, remove }: UploadChipProps) {
  const { name, file, error, progress } = item
  return (
    <li className={classes.chip} data-failed={error !== undefined || undefined} title={name}>
      <Thumbnail id={file?.id} mime_type={file?.mime_type ?? item.mime_type} size_bytes={item.size_bytes} />
      <span className={classes.chipWords}>
        <span className={classes.chipName}>{name}</span>
        {error === undefined && !file ? (
          <Progress
            value={progress * 100}
            size="sm"
            mt={4}
            aria-label={`${name}: ${Math.round(progress * 100)} % sent`}
          />
        ) : (
          <span className={classes.chipHint} role={error === undefined ? undefined : 'alert'}>
            {error === undefined ? byteSize(item.size_bytes) : readable(error)}
          </span>
        )}
      </span>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Remove ${name}`} onClick={remove}>
        <IconX size={14} />
      </ActionIcon>
    </li>
  )
}
