import { FileInput, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconFileDownload, IconUpload } from '@tabler/icons-react'
import type { Download } from '../../../runtime/browser/files.ts'
import { ApiError } from '../../api/error.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { inputsOf, useApiForm } from '../../parts/form.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { byteSize, counted } from '../../parts/numbers.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { elementOf } from './action-fields.ts'
import { useBrowser } from './context.tsx'

/** Uploads to pages, and downloads from them. */
export function FilesPanel({ running }: { running: boolean }) {
  const query = useEndpoint('/api/browser/downloads')
  return (
    <>
      {running && <UploadForm />}
      <List
        query={query}
        what="Downloads"
        items="downloads"
        empty={
          <EmptyState icon={<IconFileDownload size={28} />} title="No downloads">
            Files that pages download appear here.
          </EmptyState>
        }
      >
        {(download) => <DownloadRow key={download.id} download={download} />}
      </List>
    </>
  )
}

const statuses: Record<Download['status'], string> = {
  running: 'downloading',
  done: '',
  failed: 'failed',
  refused: 'rejected',
}

function DownloadRow({ download }: { download: Download }) {
  const { id, name, size_bytes, status, error, content_url } = download
  const save = useChange((api) =>
    saveFile(name, api.open('GET', '/api/browser/downloads/{id}/content', { params: { id } })),
  )
  const remove = useChange((api) => api.delete('/api/browser/downloads/{id}', { params: { id } }), {
    stale: ['/api/browser/downloads'],
  })
  const facts = [size_bytes === null ? '' : byteSize(size_bytes), statuses[status]].filter(Boolean)
  return (
    <article className="row" aria-label={name}>
      <div className="grow">
        <Text size="sm" truncate title={name}>
          {name}
        </Text>
        <Hint>{facts.join(' · ')}</Hint>
        {error && <Hint c="var(--mantine-color-error)">{error}</Hint>}
      </div>
      <Group gap={4} wrap="nowrap">
        {content_url && (
          <IconButton
            label={`Save ${name}`}
            icon={IconDownload}
            loading={save.isPending}
            onClick={() => save.mutate()}
          />
        )}
        <DeleteButton what={name} remove={remove} />
      </Group>
    </article>
  )
}

/** Sets the files of a file field of the page. */
function UploadForm() {
  const form = useUploadForm()
  const { files, element } = form.values
  const hint = form.error instanceof ApiError ? form.error.hint : null
  return (
    <form aria-label="Upload to the page" onSubmit={form.submit}>
      <Stack gap="xs" p="sm">
        <FileInput
          size="xs"
          label="Upload to the page"
          placeholder="Choose files"
          multiple
          clearable
          clearButtonProps={{ 'aria-label': 'Clear files' }}
          {...form.getInputProps('files')}
        />
        {inputsOf(form, { size: 'xs' }).text('element', 'File field', {
          description:
            'Its number in the snapshot, or a selector for the field, its label, its button or a drop zone',
          placeholder: '12 or input[type=file]',
          error: form.error?.message,
        })}
        {hint && <Hint className="verbatim">{hint}</Hint>}
        <SmallButton
          type="submit"
          style={{ alignSelf: 'flex-end' }}
          icon={IconUpload}
          loading={form.sending}
          disabled={files.length === 0 || !element.trim()}
        >
          Upload
        </SmallButton>
      </Stack>
    </form>
  )
}

function useUploadForm() {
  const api = useApi()
  const { tab } = useBrowser()
  const form = useApiForm({
    initial: { files: [] as File[], element: '' },
    save({ files, element }) {
      const body = new FormData()
      const target = { ...elementOf(element), ...(tab && { tab_id: tab.id }) }
      for (const [name, value] of Object.entries(target)) body.append(name, String(value))
      for (const file of files) body.append('file', file)
      return api.post('/api/browser/upload', { body })
    },
    saved({ uploaded }) {
      announce(`${counted(uploaded.length, 'file', 'files')} uploaded to the page`)
      form.setFieldValue('files', [])
    },
  })
  return form
}
