import { Group } from '@mantine/core'
import { IconDownload, IconFiles } from '@tabler/icons-react'
import { useState } from 'react'
import type { OutputFile, ProjectDetails } from '../../../runtime/projects/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { DownloadButton, UploadButton } from '../../parts/files/transfer.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { byteSize, counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { downloadFiles } from './actions.tsx'
import { open, Preview } from './file-preview.tsx'

/** The files of the project's folder. */
export function FilesView({ project }: { project: ProjectDetails }) {
  const query = useEndpoint('/api/projects/{id}/output-files', { params: { id: project.id } })
  const isMine = useIsMine(project)
  return (
    <Panel
      title="Files"
      count={query.data?.count}
      action={
        <Group gap="xs" wrap="nowrap">
          {isMine && (
            <UploadButton
              multiple
              upload={(api, files) => {
                const body = new FormData()
                for (const file of files) body.append('file', file)
                return api.post('/api/projects/{id}/files/upload', { params: { id: project.id }, body })
              }}
              done={({ count }) => announce(`${counted(count, 'file was', 'files were')} uploaded`)}
            />
          )}
          {Boolean(query.data?.count) && (
            <ActionButton icon={IconDownload} run={downloadFiles(project)} aria-label="Download all files as a zip">
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

function FileRow({ file, project }: { file: OutputFile; project: ProjectDetails }) {
  const { path, size_bytes, modified_at, task_ids } = file
  const [opened, setOpened] = useState(false)
  const stored = { project: project.id, path, size_bytes }
  const writers = project.tasks.filter(({ id }) => task_ids.includes(id))
  return (
    <Row
      name={path}
      size="sm"
      open={() => setOpened(true)}
      actions={<DownloadButton name={path} content={(api) => open(api, stored)} />}
    >
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
      {opened && <Preview file={stored} close={() => setOpened(false)} />}
    </Row>
  )
}
