import { ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import { IconDownload, IconFileDownload, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Download, downloadsQuery } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { byteSize } from '../../../parts/numbers.ts'
import { saveFile } from '../../../parts/save-file.ts'
import { EmptyState } from '../../../parts/states.tsx'
import { DeleteButton } from '../delete-button.tsx'
import { UploadForm } from './upload.tsx'

const states = { running: 'loading', done: null, failed: 'failed', refused: 'refused' } as const

/** Files into pages, and what pages handed out as files. */
export function FilesPanel({ running }: { running: boolean }) {
  return (
    <>
      {running && <UploadForm />}
      <Downloads />
    </>
  )
}

function Downloads() {
  const query = useQuery(downloadsQuery(useApi()))
  return (
    <Loaded query={query} what="The downloads">
      {({ downloads }) =>
        downloads.length === 0 ? (
          <EmptyState icon={<IconFileDownload size={28} />} title="No downloads">
            Files that pages hand out are kept here.
          </EmptyState>
        ) : (
          downloads.map((download) => <Row key={download.id} download={download} />)
        )
      }
    </Loaded>
  )
}

function Row({ download: { id, name, size_bytes, status, error, content_url } }: { download: Download }) {
  const api = useApi()
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: async (url: string) => saveFile(name, await (await api.raw('GET', url)).blob()),
  })
  const remove = useMutation({
    mutationFn: () => api.remove(`/api/browser/downloads/${id}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['browser-traffic', 'downloads'] }),
  })
  return (
    <article className="row" aria-label={name}>
      <div className="grow">
        <Text size="sm" truncate title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {[size_bytes === null ? null : byteSize(size_bytes), states[status]].filter(Boolean).join(' · ')}
        </Text>
        {error && (
          <Text size="xs" c="red">
            {error}
          </Text>
        )}
      </div>
      <Group gap={4} wrap="nowrap">
        {content_url && (
          <Tooltip label="Save to this computer">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Save ${name}`}
              loading={save.isPending}
              onClick={() => save.mutate(content_url)}
            >
              <IconDownload size={17} />
            </ActionIcon>
          </Tooltip>
        )}
        <DeleteButton what={name} icon={<IconTrash size={17} />} remove={remove} />
      </Group>
    </article>
  )
}
