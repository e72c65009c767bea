import { Skeleton, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Api } from '../../api/client.ts'
import { useApi } from '../../app/services.tsx'
import { NoPreview, PreviewFrame, PreviewImage, TextPreview } from '../../parts/files/preview.tsx'
import { isPicture, isText, useBlobUrl } from '../../parts/files/thumbnail.tsx'
import { Loaded } from '../../parts/list.tsx'
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

/** The unread content of a file. */
export const open = (api: Api, { project, path }: ProjectFile, signal?: AbortSignal): Promise<Response> =>
  api.open('GET', '/api/projects/{id}/files/raw', { params: { id: project }, query: { path }, signal })

/** The path of a file, as a button. */
export const FileName = ({ path, open }: { path: string; open: () => void }) => (
  <UnstyledButton fz="sm" td="underline" style={{ overflowWrap: 'anywhere' }} onClick={open}>
    {path}
  </UnstyledButton>
)

export function Preview({ file, close }: { file: ProjectFile; close: () => void }) {
  const name = file.path.split('/').at(-1) ?? file.path
  const download = useChange((api) => saveFile(name, open(api, file)))
  return (
    <PreviewFrame name={file.path} facts={byteSize(file.size_bytes)} download={download} close={close}>
      {file.size_bytes > maxPreview ? <NoPreview /> : <Content file={file} />}
    </PreviewFrame>
  )
}

function Content({ file }: { file: ProjectFile }) {
  const api = useApi()
  const query = useQuery({
    queryKey: [`/api/projects/${file.project}/files/raw`, file.path],
    queryFn: async ({ signal }) => {
      const blob = await (await open(api, file, signal)).blob()
      const type = blob.type.split(';', 1)[0] ?? ''
      return { blob, type, text: isText(type) ? await blob.text() : null }
    },
    staleTime: 0,
  })
  const picture = useBlobUrl(query.data && isPicture(query.data.type) ? query.data.blob : undefined)
  return (
    <Loaded query={query} what="The file" skeleton={<Skeleton height={240} />}>
      {({ text }) => {
        if (picture) return <PreviewImage url={picture} name={file.path} />
        if (text === null) return <NoPreview />
        if (/\.md$/i.test(file.path) && text.length <= maxText) return <Markdown text={text} />
        return <TextPreview text={text.slice(0, maxText)} cut={text.length > maxText} />
      }}
    </Loaded>
  )
}
