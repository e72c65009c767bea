import { FileInput, Stack } from '@mantine/core'
import { IconFileDownload, IconUpload } from '@tabler/icons-react'
import type { Download } from '../../../runtime/tabs/schema.ts'
import { ApiError } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { DownloadButton } from '../../parts/files/transfer.tsx'
import { inputsOf, useApiForm } from '../../parts/form.tsx'
import { byteSize, counted } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Hint } from '../../parts/typography.tsx'
import { elementOf } from './action-fields.ts'
import { useBrowser } from './context.tsx'

const statuses: Record<Download['status'], string> = {
  running: 'downloading',
  done: '',
  failed: 'failed',
  refused: 'rejected',
}

/** Uploads to pages, and downloads from them. */
export const FilesPanel = ({ running }: { running: boolean }) => (
  <>
    {running && <UploadForm />}
    <ResourceList
      path="/api/browser/downloads"
      items="downloads"
      title="Downloads"
      frame="none"
      icon={IconFileDownload}
      empty="Files that pages download appear here."
      row={({ id, name, size_bytes, status, error, content_url }) => ({
        size: 'sm',
        children: (
          <>
            <Hint>
              {[size_bytes === null ? '' : byteSize(size_bytes), statuses[status]].filter(Boolean).join(' · ')}
            </Hint>
            {error && <Hint c="var(--mantine-color-error)">{error}</Hint>}
          </>
        ),
        actions: (
          <>
            {content_url && (
              <DownloadButton
                name={name}
                content={(api) => api.open('GET', '/api/browser/downloads/{id}/content', { params: { id } })}
              />
            )}
            <DeleteButton what={name} remove={(api) => api.delete('/api/browser/downloads/{id}', { params: { id } })} />
          </>
        ),
      })}
    />
  </>
)

/** Sets the files of a file field of the page. */
function UploadForm() {
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
          description: 'Its number in the snapshot, or a selector for the field, its label, its button or a drop zone',
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
