import { Alert, Badge, Checkbox, Group, Progress, Stack, Text } from '@mantine/core'
import { IconDatabaseExport, IconDotsVertical, IconDownload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { useBusEvents } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { UploadButton } from '../../parts/files/transfer.tsx'
import { Loaded } from '../../parts/list.tsx'
import { byteSize, counted, whole } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { exact, Time, useZone } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { SectionForm } from './section-form.tsx'

type Listed = AnswerOf<'GET', '/api/settings/backups'>
type Backup = Listed['backups'][number]
type Job = NonNullable<Listed['job']>

const address = '/api/settings/backups'

export function Backups() {
  const { data } = useEndpoint(address)
  const [job, setJob] = useLiveJob(data?.job ?? null)
  const zone = useZone()
  const start = { disabled: job?.status === 'running', started: setJob }
  return (
    <Stack gap="lg" maw={760}>
      <ResourceList
        path={address}
        items="backups"
        title="Backups"
        icon={IconDatabaseExport}
        empty="Back up now, or set up a schedule below."
        actions={
          <UploadButton
            accept=".db,.tar"
            upload={(api, [file]) => api.post(address, { body: file as File, headers: octets })}
            done={() => announce('The backup was uploaded and verified')}
          />
        }
        row={(backup) => ({
          ...rowOf(backup, exact(backup.created_at, zone)),
          actions: <BackupMenu backup={backup} {...start} />,
          verb: 'Restore…',
          details: () => <Inside backup={backup} when={exact(backup.created_at, zone)} {...start} />,
        })}
      >
        <Stack gap="sm" px="md" pb="md">
          <MakeBackup {...start} />
          {job && <JobState job={job} />}
        </Stack>
      </ResourceList>
      <SectionForm name="backup" title="Schedule" action={<NextBackup at={data?.next_at} />} />
    </Stack>
  )
}

const NextBackup = ({ at }: { at: string | null | undefined }) => (
  <Hint>
    {at ? (
      <>
        Next backup <Time at={at} />
      </>
    ) : (
      'No backup is scheduled'
    )}
  </Hint>
)

/** The most recent job; its progress comes from the bus. */
function useLiveJob(known: Job | null): [Job | null, (job: Job) => void] {
  const [job, setJob] = useState<Job | null>(null)
  const queries = useQueryClient()
  useBusEvents('backup.job.updated', (event) => {
    if (event.type !== 'backup.job.updated') return
    setJob(event.data.job)
    if (event.data.job.status !== 'running') void queries.invalidateQueries({ queryKey: [address] })
  })
  // Its first event may arrive before the answer of the request that started it.
  const started = (one: Job) => setJob((current) => (current?.id === one.id ? current : one))
  return [job ?? known, started]
}

interface StartProps {
  disabled: boolean
  started(job: Job): void
}

function MakeBackup({ disabled, started }: StartProps) {
  const [keys, setKeys] = useState(false)
  const [files, setFiles] = useState(true)
  const { data: stored } = useEndpoint('/api/settings/storage')
  return (
    <>
      <Muted>
        A verified copy of the database: conversations, memory, projects, jobs, settings and users, with passwords and
        API keys as hashes.
        {stored && ` About ${byteSize(stored.database.bytes)}.`}
      </Muted>
      <Checkbox
        label="Include uploaded files, workspaces and recordings"
        description={stored?.files ? `Now ${sizeOf(stored.files)}; they are not encrypted` : undefined}
        checked={files}
        onChange={(event) => setFiles(event.currentTarget.checked)}
      />
      <Group justify="space-between">
        <Checkbox
          label="Include the master key"
          description="Needed to read stored secrets on another machine"
          checked={keys}
          onChange={(event) => setKeys(event.currentTarget.checked)}
        />
        <ActionButton
          variant="filled"
          icon={IconDatabaseExport}
          disabled={disabled}
          run={(api) => api.post('/api/settings/backup', { body: { keys, files } })}
          done={started}
        >
          Back up now
        </ActionButton>
      </Group>
    </>
  )
}

const sizeOf = ({ count, bytes, skipped }: NonNullable<Backup['files']>) =>
  `${counted(count, 'file', 'files')}, ${byteSize(bytes)}${skipped > 0 ? ` (${whole(skipped)} could not be read)` : ''}`

const octets = { 'content-type': 'application/octet-stream' }

const phases: Record<Job['progress']['phase'], string> = {
  waiting: 'Waiting',
  copying: 'Copying',
  verifying: 'Verifying',
  restarting: 'hearthd is restarting with the restored data. You may have to sign in again.',
}

const results: Record<Job['action'], string> = {
  create: 'The backup is complete and verified.',
  verify: 'The backup is intact: its checksums and integrity are correct.',
  restore: 'hearthd is restarting with the restored data. You may have to sign in again.',
}

const failures: Record<Job['action'], string> = {
  create: 'The backup failed',
  verify: 'The backup is damaged',
  restore: 'The restore failed; nothing was changed',
}

function JobState({ job: { action, status, progress, error } }: { job: Job }) {
  if (status === 'error')
    return (
      <Alert color="red" role="alert" title={failures[action]}>
        {error}
      </Alert>
    )
  if (status === 'done')
    return (
      <Alert color="teal" role="status">
        {results[action]}
      </Alert>
    )
  const { phase, done_bytes, total_bytes } = progress
  const share = phase === 'copying' && total_bytes > 0 ? (done_bytes / total_bytes) * 100 : 0
  return (
    <div>
      <Text size="sm" role="status">
        {phases[phase]}
        {share > 0 && ` (${byteSize(done_bytes)} of ${byteSize(total_bytes)})`}
      </Text>
      <Progress mt={4} value={share || 100} animated={share === 0} aria-label="Backup" />
    </div>
  )
}

const reasons: Record<Backup['reason'], string> = {
  manual: 'Manual',
  scheduled: 'Scheduled',
  uploaded: 'Uploaded',
  'before-restore': 'Before a restore',
  'before-migration': 'Before an upgrade',
  'before-repair': 'Before a repair',
}

const rowOf = ({ folder, reason, bytes, files, has_key, same_key, release }: Backup, when: string) => ({
  name: when,
  label: `Backup of ${when}`,
  badges: (
    <>
      <Badge size="sm" color="gray">
        {reasons[reason]}
      </Badge>
      {has_key && (
        <Badge size="sm" color="yellow">
          With master key
        </Badge>
      )}
    </>
  ),
  children: (
    <Hint style={{ overflowWrap: 'anywhere' }}>
      Database {byteSize(bytes)} · {files ? sizeOf(files) : 'no files'}
      {release && ` · hearthd ${release}`}
      {folder && ` · ${folder}`}
      {same_key === false && ' · its stored secrets require a different master key'}
    </Hint>
  ),
})

function BackupMenu({ backup, started }: StartProps & { backup: Backup }) {
  const { name, has_key } = backup
  const params = { name }
  const verify = useChange((api) => api.post(`${address}/{name}/verify`, { params }), { done: started })
  const download = useDownload(backup)
  const when = exact(backup.created_at, useZone())
  return (
    <ConfirmByName
      name="delete"
      what="backup"
      effect={`The backup of ${when} is deleted permanently.`}
      run={(api) => api.delete(`${address}/{name}`, { params })}
      done={() => announce('The backup was deleted')}
    >
      {(ask) => (
        <ActionMenu
          actions={[
            { label: 'Download', icon: IconDownload, onClick: () => download.mutate('content') },
            has_key && { label: 'Download the master key', onClick: () => download.mutate('key') },
            { label: 'Verify', onClick: () => verify.mutate() },
            'divider',
            { label: 'Delete', color: 'red', onClick: ask },
          ]}
        >
          <IconButton icon={IconDotsVertical} label={`More for the backup of ${when}`} />
        </ActionMenu>
      )}
    </ConfirmByName>
  )
}

function useDownload({ name, files }: Backup) {
  return useChange(async (api, part: 'content' | 'key') => {
    const response = await api.open('GET', `${address}/{name}/${part}`, { params: { name } })
    const extension = files ? 'tar' : 'db'
    const target = part === 'key' ? `${name}.master.key` : name.replace(/db$/, extension)
    saveFile(target, await response.blob())
  })
}

/** What a person must know before a restore. */
const restoreEffect = (when: string, withFiles: boolean) =>
  `All data in the database is replaced with the backup of ${when}. Users, passwords, API keys and sign-ins become those of the backup: keys created later stop working, keys revoked later work again, and you may have to sign in with an earlier password. ${withFiles ? 'Uploaded files, workspaces and recordings are replaced too.' : 'Uploaded files and workspaces stay as they are.'} The current data is backed up first. hearthd then restarts, which interrupts running work.`

/** The contents of a backup, with the button that restores it. */
function Inside({ backup, when, disabled, started }: StartProps & { backup: Backup; when: string }) {
  const { name, has_key, files: stored } = backup
  const params = { name }
  const query = useEndpoint(`${address}/{name}`, { params })
  const [keys, setKeys] = useState(false)
  const [files, setFiles] = useState(true)
  return (
    <Loaded query={query} what="The contents">
      {({ areas, release, schema_version, refused }) => (
        <Stack gap="sm">
          <Hint>
            hearthd {release}, schema {schema_version}. File: <span className="mono">{name}</span>
          </Hint>
          <DataTable
            label="Areas"
            verticalSpacing={4}
            head={['Area', 'Rows']}
            numbers={[1]}
            rows={areas.map(({ area, rows }) => [area, whole(rows)])}
          />
          {stored && stored.folders.length > 0 && (
            <DataTable
              label="Folders"
              verticalSpacing={4}
              head={['Folder', 'Files', 'Size']}
              numbers={[1, 2]}
              rows={stored.folders.map(({ folder, count, bytes }) => [folder, whole(count), byteSize(bytes)])}
            />
          )}
          {refused ? (
            <Alert color="yellow" title="This backup cannot be restored here">
              {refused}
            </Alert>
          ) : (
            <Group justify="space-between" align="flex-end">
              <Stack gap="xs">
                {stored && (
                  <Checkbox
                    label="Also restore files, workspaces and recordings"
                    checked={files}
                    onChange={(event) => setFiles(event.currentTarget.checked)}
                  />
                )}
                {has_key && (
                  <Checkbox
                    label="Also restore the master key"
                    checked={keys}
                    onChange={(event) => setKeys(event.currentTarget.checked)}
                  />
                )}
              </Stack>
              <ConfirmByName
                name="restore"
                what="backup"
                verb="Restore"
                effect={restoreEffect(when, stored !== null && files)}
                run={(api) =>
                  api.post(`${address}/{name}/restore`, { params, body: { confirm: name, keys, files } }).then(started)
                }
              >
                {(ask) => (
                  <SmallButton color="red" disabled={disabled} onClick={ask}>
                    Restore
                  </SmallButton>
                )}
              </ConfirmByName>
            </Group>
          )}
        </Stack>
      )}
    </Loaded>
  )
}
