/** The content of a repository before it is used: pages, table of contents, files, problems. */
import { useEffect, useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import {
  act,
  branchName,
  changeConnection,
  type Connection,
  disconnect,
  isOver,
  readConnection,
} from '../admin/connection-calls.js'
import { shortAddress } from '../admin/connection-words.js'
import { CheckField, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { parameter } from '../admin/lists.js'
import { dropDraft, keepDraft } from '../admin/new-space.js'
import { adminWords } from '../admin/words.js'
import { open } from '../route.js'
import { Icon } from '../shell/icons.js'
import { Chip, Note, Shape, Show } from '../shell/notes.js'
import { attempt } from '../shell/toast.js'
import { fill, plural, words } from '../words/index.js'
import { Progress } from './connection.js'
import { StartFrame } from './new.js'
import { useSpace } from '../space/space.js'

const WHILE_RUNNING_MS = 500

export function NewFound() {
  const w = adminWords().new
  const space = parameter('space')
  const key = `space/${space}/found`
  const connection = useData(key, () => readConnection({ space, id: parameter('connection') }))
  const run = connection.value?.lastRun
  const running = connection.value !== undefined && (run === undefined || !isOver(run))
  useEffect(() => {
    const timer = running ? setInterval(() => void reload(key), WHILE_RUNNING_MS) : undefined
    return () => clearInterval(timer)
  }, [running, key])
  const back = () =>
    attempt(async () => {
      if (running && connection.value) await act(connection.value, 'cancel').catch(() => {})
      await dropDraft(space)
      open('/new')
    })
  return (
    <StartFrame skip={false}>
      <Show data={connection}>
        {(value) => (
          <>
            <div class="stack s">
              <div class="row wrap">
                <h2 class="title grow">{shortAddress(value.url)}</h2>
                <Chip icon="request">{fill(w.branch, { branch: branchName(value.ref) })}</Chip>
              </div>
              <p class="ink2">{w.onlyAdmins}</p>
            </div>
            {running ? (
              <>
                <Progress connection={value} />
                {run === undefined && <Shape />}
                <div class="row">
                  <button type="button" class="btn" onClick={back}>
                    {words().common.back}
                  </button>
                </div>
              </>
            ) : run?.state === 'success' ? (
              <Found connection={value} back={back} />
            ) : (
              <Note
                tone="bad"
                actions={
                  <button type="button" class="btn small primary" onClick={back}>
                    {words().common.back}
                  </button>
                }
              >
                <p>
                  <b>{w.unreadable}</b> {run?.error}
                </p>
                <p>{w.nothingLost}</p>
              </Note>
            )}
          </>
        )}
      </Show>
    </StartFrame>
  )
}

/** Counts of a table of contents. */
interface Contents {
  pages: number
  groups: number
  hidden: number
}

function countPages(pages: readonly Schemas['Page'][]): Contents {
  const counts = { pages: 0, groups: 0, hidden: 0 }
  const walk = (list: readonly Schemas['Page'][]): void => {
    for (const page of list) {
      if (page.type === 'document' || page.type === 'computed') counts.pages += 1
      if (page.type === 'group') counts.groups += 1
      if (page.hidden === true) counts.hidden += 1
      walk(page.pages)
    }
  }
  walk(pages)
  return counts
}

async function look(spaceId: string) {
  const path = { spaceId }
  const [content, history, broken] = await Promise.all([
    body(api.GET('/v1/spaces/{spaceId}/content', { params: { path, query: {} } })),
    body(api.GET('/v1/spaces/{spaceId}/revisions', { params: { path, query: { limit: 1 } } })),
    body(api.GET('/v1/spaces/{spaceId}/links', { params: { path, query: { status: 'broken', limit: 3 } } })),
  ])
  return {
    ...countPages(content.pages),
    files: content.files.length,
    bytes: content.files.reduce((sum, { size }) => sum + size, 0),
    revisions: history.count ?? 0,
    diagnostics: content.diagnostics,
    broken: broken.count ?? broken.items.length,
  }
}

const MEGABYTE = 1_000_000
const megabytes = (bytes: number): number => Math.round((bytes / MEGABYTE) * 10) / 10

function Found({ connection, back }: { connection: Connection; back: () => void }) {
  const w = adminWords().new
  const found = useData(`space/${connection.space}/look`, () => look(connection.space))
  return (
    <Show data={found}>
      {(counts) => (
        <>
          <dl class="found">
            <div>
              <dt>{w.foundPages}</dt>
              <dd>{counts.pages.toLocaleString()}</dd>
            </div>
            <div>
              <dt>{w.foundFiles}</dt>
              <dd>{counts.files.toLocaleString()}</dd>
            </div>
            <div>
              <dt>{w.foundRevisions}</dt>
              <dd>{counts.revisions.toLocaleString()}</dd>
            </div>
            <div>
              <dt>{w.foundSize}</dt>
              <dd>{fill(w.megabytes, { size: megabytes(counts.bytes) })}</dd>
            </div>
          </dl>
          <section class="panel" aria-labelledby="read">
            <div class="ph">
              <h3 class="h grow" id="read">
                {w.howRead}
              </h3>
            </div>
            <div class="pb">
              <dl class="kv">
                <dt>{w.contents}</dt>
                <dd>{fill(w.contentsCounts, { groups: counts.groups, pages: counts.pages, hidden: counts.hidden })}</dd>
                <dt>{adminWords().connection.folder}</dt>
                <dd>{connection.repoProjectDirectory || adminWords().connection.wholeRepository}</dd>
              </dl>
            </div>
          </section>
          <Problems diagnostics={counts.diagnostics} broken={counts.broken} space={connection.space} />
          <Keep connection={connection} pages={counts.pages} back={back} />
        </>
      )}
    </Show>
  )
}

function Problems({
  diagnostics,
  broken,
  space,
}: {
  diagnostics: Schemas['Revision']['diagnostics']
  broken: number
  space: string
}) {
  const w = adminWords().new
  // bound: the codes of diagnostics
  const byCode = new Map<string, (typeof diagnostics)[number][]>()
  for (const one of diagnostics) byCode.set(one.code, [...(byCode.get(one.code) ?? []), one])
  const total = diagnostics.length + broken
  if (total === 0)
    return (
      <Note tone="good">
        <p>{w.noProblems}</p>
      </Note>
    )
  return (
    <section class="panel" aria-labelledby="problems">
      <div class="ph">
        <h3 class="h grow" id="problems">
          {plural(w.problems, total)}
        </h3>
        <span class="sm muted">{w.problemsHelp}</span>
      </div>
      <ul class="list t">
        {broken > 0 && (
          <li>
            <Icon name="broken" />
            <div class="grow">
              <a class="t" href={`/s/${space}/links`}>
                {plural(w.brokenLinks, broken)}
              </a>
            </div>
          </li>
        )}
        {[...byCode].map(([code, all]) => (
          <li key={code}>
            <Icon name="page" />
            <div class="grow">
              <b>{all[0]?.message}</b>
              <div class="d">
                {fill(all.length === 1 ? w.inFile : w.inFiles, {
                  file: `${all[0]?.file ?? ''}${all[0]?.line === undefined ? '' : `:${all[0].line}`}`,
                  more: all.length - 1,
                })}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Keep({ connection, pages, back }: { connection: Connection; pages: number; back: () => void }) {
  const w = adminWords().new
  const space = useSpace(connection.space).value
  const [title, setTitle] = useState<string | null>(null)
  const [follows, setFollows] = useState(true)
  const canWrite = connection.credential.kind !== 'none'
  const [sendsBack, setSendsBack] = useState(canWrite)
  const form = useForm(async () => {
    await keepDraft(connection.space, title ?? space?.title ?? '')
    if (!follows) await disconnect(connection)
    else if (sendsBack) await changeConnection(connection, { direction: 'both' })
    await reload(`space/${connection.space}`)
    open(`/s/${connection.space}`)
  })
  return (
    <form class="panel" aria-label={w.use} onSubmit={form.submit}>
      <div class="pb stack">
        <TextField
          label={w.name}
          error={form.error('title')}
          value={title ?? space?.title ?? ''}
          onInput={setTitle}
          required
        />
        <CheckField checked={follows} onChange={setFollows}>
          {fill(w.follow, { branch: branchName(connection.ref) })}
        </CheckField>
        {canWrite && follows && (
          <CheckField checked={sendsBack} onChange={setSendsBack}>
            {w.sendBack}
          </CheckField>
        )}
        <FormError form={form} />
        <div class="row wrap">
          <Submit form={form}>{plural(w.usePages, pages)}</Submit>
          <button type="button" class="btn quiet" onClick={back}>
            {words().common.back}
          </button>
        </div>
      </div>
    </form>
  )
}
