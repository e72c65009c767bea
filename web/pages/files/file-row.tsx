import { ActionIcon, Button, Group, Modal, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { StoredFile } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { Thumbnail } from '../../parts/files/thumbnail.tsx'
import { useDownload } from '../../parts/files/use-download.ts'
import { byteSize } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import classes from './files.module.css'

const Preview = lazy(async () => ({ default: (await import('../../parts/files/preview.tsx')).Preview }))

export function FileRow({ file }: { file: StoredFile }) {
  const [shown, setShown] = useState<'preview' | 'question' | null>(null)
  const download = useDownload()
  return (
    <article className="row" aria-label={file.name}>
      <Thumbnail id={file.id} mime_type={file.mime_type} size_bytes={file.size_bytes} />
      <div className="grow">
        <UnstyledButton className={classes.name} onClick={() => setShown('preview')}>
          {file.name}
        </UnstyledButton>
        <Text size="xs" c="dimmed" truncate component="div">
          {byteSize(file.size_bytes)} · <Time at={file.created_at} />
          {file.purpose === 'chat' && ' · from a chat'}
        </Text>
      </div>
      <Group gap={4} wrap="nowrap">
        <Tooltip label="Download">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Download ${file.name}`}
            loading={download.isPending}
            onClick={() => download.mutate(file)}
          >
            <IconDownload size={18} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Delete">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Delete ${file.name}`}
            onClick={() => setShown('question')}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Tooltip>
      </Group>
      {shown === 'preview' && (
        <Suspense>
          <Preview file={file} close={() => setShown(null)} />
        </Suspense>
      )}
      {shown === 'question' && <DeleteQuestion file={file} close={() => setShown(null)} />}
    </article>
  )
}

function DeleteQuestion({ file, close }: { file: StoredFile; close: () => void }) {
  const api = useApi()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.remove(`/api/files/${file.id}`),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['files'] })
      announce(`${file.name} was deleted`)
    },
    onSettled: close,
  })
  return (
    <Modal opened onClose={close} title="Delete this file?">
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <b>{file.name}</b> cannot be brought back. Messages that it was sent with stay, and say that it was
          deleted.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
