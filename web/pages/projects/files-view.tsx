import { FileButton, Group } from '@mantine/core'
import { IconDownload, IconFiles, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { OutputFile, ProjectDetails } from '../../../runtime/projects/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { ActionButton, IconButton, SmallButton } from '../../parts/buttons.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { byteSize, counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { useProjectActions } from './actions.tsx'
import { FileName, Preview, useDownload } from './file-preview.tsx'

/** The files of the project's folder. */
export function FilesView({ project }: { project: ProjectDetails }) {
  const query = useEndpoint('/api/projects/{id}/output-files', { params: { id: project.id } })
  const { download } = useProjectActions(project)
  const isMine = useIsMine(project)
  return (
    <Panel
      title="Files"
      count={query.data?.count}
      action={
        <Group gap="xs" wrap="nowrap">
          {isMine && <UploadButton project={project.id} />}
          {Boolean(query.data?.count) && (
            <ActionButton icon={IconDownload} run={download} aria-label="Download all files as a zip">
              Download all
            </ActionButton>
          )}
        </Group>
      }
    >
      <List
        query={query}
        what="Files"
        items="files"
        empty={
          <EmptyState icon={<IconFiles />} title="No files yet">
            Files that tasks write appear here. Upload files that the tasks need.
          </EmptyState>
        }
      >
        {(file) => <FileRow key={file.path} file={file} project={project} />}
      </List>
    </Panel>
  )
}

function UploadButton({ project }: { project: string }) {
  const upload = useChange(
    (api, files: readonly File[]) => {
      const body = new FormData()
      for (const file of files) body.append('file', file)
      return api.post('/api/projects/{id}/files/upload', { params: { id: project }, body })
    },
    {
      stale: ['/api/projects'],
      done: ({ count }) => announce(`${counted(count, 'file was', 'files were')} uploaded`),
    },
  )
  return (
    <FileButton multiple onChange={(files) => files.length > 0 && upload.mutate(files)}>
      {(props) => (
        <SmallButton icon={IconUpload} loading={upload.isPending} {...props}>
          Upload
        </SmallButton>
      )}
    </FileButton>
  )
}

function FileRow({ file, project }: { file: OutputFile; project: ProjectDetails }) {
  const { path, size_bytes, modified_at, task_ids } = file
  const [opened, setOpened] = useState(false)
  const stored = { project: project.id, path, size_bytes }
  const download = useDownload(stored)
  const writers = project.tasks.filter(({ id }) => task_ids.includes(id))
  return (
    <article className="row" aria-label={path}>
      <div className="grow">
        <FileName path={path} open={() => setOpened(true)} />
        <Hint>
          {byteSize(size_bytes)} · <Time at={modified_at} />
          {writers.map(({ id, title }) => (
            <span key={id}>
              {' · '}
              <TextLink href={`?task=${id}`} size="xs">
                {title}
              </TextLink>
            </span>
          ))}
        </Hint>
      </div>
      <IconButton
        label={`Download ${path}`}
        icon={IconDownload}
        loading={download.isPending}
        onClick={() => download.mutate()}
      />
      {opened && <Preview file={stored} close={() => setOpened(false)} />}
    </article>
  )
}
