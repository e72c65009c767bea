import { Button, Group, Modal, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Api } from '../../api/client.ts'
import { useApi } from '../../app/services.tsx'
import fileClasses from '../../parts/files/files.module.css'
import { isPicture, isText, useBlobUrl } from '../../parts/files/thumbnail.tsx'
import { Hint } from '../../parts/hint.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useChange } from '../../parts/use-change.ts'

export interface ProjectFile {
  project: string
  path: string
  size_bytes: number
}

/** Bytes. Larger files are only downloaded. */
const maxPreview = 5_000_000
/** Characters of a text that are shown. */
const maxText = 200_000

const read = async (api: Api, { project, path }: ProjectFile, signal?: AbortSignal): Promise<Blob> =>
  (
    await api.open('GET', '/api/projects/{id}/files/raw', {
      params: { id: project },
      query: { path },
      signal,
    })
  ).blob()

export const useDownload = (file: ProjectFile) =>
  useChange(async (api) => saveFile(file.path.split('/').at(-1) ?? file.path, await read(api, file)))

/** The path of a file, as a button. */
export const FileName = ({ path, open }: { path: string; open: () => void }) => (
  <UnstyledButton fz="sm" td="underline" style={{ overflowWrap: 'anywhere' }} onClick={open}>
    {path}
  </UnstyledButton>
)

export function Preview({ file, close }: { file: ProjectFile; close: () => void }) {
  const download = useDownload(file)
  return (
    <Modal
      opened
      onClose={close}
      title={file.path}
      size="lg"
      styles={{ title: { overflowWrap: 'anywhere' } }}
    >
      <Stack>
        {file.size_bytes > maxPreview ? <NoPreview /> : <Content file={file} />}
        <Group justify="space-between">
          <Hint>{byteSize(file.size_bytes)}</Hint>
          <Button
            size="xs"
            leftSection={<IconDownload size={14} />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            Download
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const NoPreview = () => (
  <Text size="sm" c="dimmed">
    No preview is available for this file. Download it to open it.
  </Text>
)

function Content({ file }: { file: ProjectFile }) {
  const api = useApi()
  const query = useQuery({
    queryKey: [`/api/projects/${file.project}/files/raw`, file.path],
    queryFn: async ({ signal }) => {
      const blob = await read(api, file, signal)
      const type = blob.type.split(';', 1)[0] ?? ''
      return { blob, type, text: isText(type) ? await blob.text() : null }
    },
    staleTime: 0,
  })
  const picture = useBlobUrl(query.data && isPicture(query.data.type) ? query.data.blob : undefined)
  return (
    <Loaded query={query} what="The file" skeleton={<Skeleton height={240} />}>
      {({ text }) => {
        if (picture) return <img className={fileClasses.picture} src={picture} alt={file.path} />
        return text === null ? <NoPreview /> : <TextPreview path={file.path} text={text} />
      }}
    </Loaded>
  )
}

function TextPreview({ path, text }: { path: string; text: string }) {
  if (/\.md$/i.test(path) && text.length <= maxText) return <Markdown text={text} />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable text must be reachable by keyboard */}
      <section className={fileClasses.text} tabIndex={0} aria-label="Content">
        {text.slice(0, maxText)}
      </section>
      {text.length > maxText && <Hint>Only the beginning is shown.</Hint>}
    </>
  )
}
