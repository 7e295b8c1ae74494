/** Imports a website, an archive or a document into a new space, with progress and a button to stop. */
import { useEffect, useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { open } from '../route.js'
import { Note } from '../shell/notes.js'
import { attempt, explain } from '../shell/toast.js'
import { fill, plural, words } from '../words/index.js'
import { ChoiceField, FormError, Submit, TextField, useForm } from './form.js'
import { createDraft, dropDraft, keepDraft } from './new-space.js'
import { adminWords } from './words.js'

type Source = Schemas['ContentImportSource']
type Import = Schemas['ContentImport']

const SOURCES = [
  'website',
  'zip',
  'docx',
  'markdown',
  'html',
  'confluence',
  'notion',
  'github-wiki',
  'google-docs',
] as const satisfies readonly Source[]

/** Renders the form, and the progress of the import. */
export function NewFromFiles({ organization }: { organization: string }) {
  const w = adminWords().new
  const [source, setSource] = useState<Source>('website')
  const [url, setUrl] = useState('')
  const [title, setTitle] = useState('')
  const [started, setStarted] = useState<{ space: string; id: string } | null>(null)
  const form = useForm(async () => {
    const space = await createDraft(organization, title)
    try {
      const params = { path: { spaceId: space.id } }
      const made = await body(api.POST('/v1/spaces/{spaceId}/content/import', { params, body: { url, source } }))
      setStarted({ space: space.id, id: made.import })
    } catch (error) {
      await dropDraft(space.id).catch(() => {})
      throw error
    }
  })
  if (started) return <Importing {...started} title={title} onBack={() => setStarted(null)} />
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="ph">
        <h2 class="h grow">{w.choices.files.name}</h2>
        <span class="sm muted hide-s">{w.nothingYet}</span>
      </div>
      <div class="pb stack">
        <ChoiceField
          label={w.source}
          help={w.sources[source].help}
          error={form.error('source')}
          value={source}
          of={SOURCES.map((one) => [one, w.sources[one].name] as const)}
          onChange={setSource}
        />
        <TextField
          label={w.url}
          help={w.urlHelp}
          error={form.error('url')}
          value={url}
          onInput={setUrl}
          type="url"
          mono
          required
        />
        <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />
        <FormError form={form} />
        <div class="row">
          <Submit form={form}>{form.isBusy ? w.importing : w.import}</Submit>
        </div>
      </div>
    </form>
  )
}

const WHILE_RUNNING_MS = 700

/** A running import: the number of imported pages and files, and a button to stop. */
function Importing({ space, id, title, onBack }: { space: string; id: string; title: string; onBack: () => void }) {
  const w = adminWords().new
  const [found, setFound] = useState<Import | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const params = { path: { spaceId: space, importId: id } }
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async () => {
      try {
        const state = (await body(api.GET('/v1/spaces/{spaceId}/content/imports/{importId}', { params }))) as Import
        setFound(state)
        setError(null)
        if (state.state === 'queued' || state.state === 'running')
          timer = setTimeout(() => void read(), WHILE_RUNNING_MS)
      } catch (thrown) {
        setError(thrown)
        timer = setTimeout(() => void read(), WHILE_RUNNING_MS * 4)
      }
    }
    void read()
    return () => clearTimeout(timer)
  }, [space, id])
  const back = () =>
    attempt(async () => {
      await dropDraft(space)
      onBack()
    })
  const keep = () =>
    attempt(async () => {
      await keepDraft(space, title)
      open(`/s/${space}`)
    })
  const isRunning = found === null || found.state === 'queued' || found.state === 'running'
  return (
    <section class="panel" aria-live="polite">
      <div class="pb stack">
        {error !== null && <Note tone="bad">{explain(error)}</Note>}
        {isRunning ? (
          <>
            <div class="row wrap">
              <b class="grow">{w.stages[found?.stage ?? 'queued']}</b>
              <span class="muted sm">
                {fill(w.counted, { done: found?.importedResources ?? 0, total: found?.totalResources ?? 0 })}
              </span>
              <button type="button" class="btn small" onClick={back}>
                {words().common.cancel}
              </button>
            </div>
            <progress
              aria-label={w.importing}
              max={Math.max(1, found?.totalResources ?? 1)}
              value={found?.importedResources ?? 0}
            />
          </>
        ) : found.state === 'failed' ? (
          <Note
            tone="bad"
            actions={
              <button type="button" class="btn small primary" onClick={back}>
                {words().common.back}
              </button>
            }
          >
            <p>
              <b>{w.importFailed}</b> {found.error}
            </p>
            <p>{w.nothingLost}</p>
          </Note>
        ) : (
          <>
            <Note tone="good">
              <p>{plural(w.imported, found.importedResources)}</p>
            </Note>
            {found.failures.length > 0 && (
              <ul class="list panel sm">
                {found.failures.map(({ resource, reason }) => (
                  <li key={resource}>
                    <span class="grow">
                      <code>{resource}</code> {reason}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            <div class="row wrap">
              <button type="button" class="btn primary" onClick={keep}>
                {w.openSpace}
              </button>
              <button type="button" class="btn quiet" onClick={back}>
                {words().common.back}
              </button>
            </div>
          </>
        )}
      </div>
    </section>
  )
}
