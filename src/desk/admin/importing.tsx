/** An import that is under way: what is sent, then how many pages and files are there, with a way to stop. */
import { useEffect, useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import type { Sent } from '../api/upload.js'
import { Note } from '../shell/notes.js'
import { attempt, explain } from '../shell/toast.js'
import { fill, language, plural, words } from '../words/index.js'
import { adminWords } from './words.js'

type Import = Schemas['ContentImport']

const WHILE_RUNNING_MS = 700
const MEGABYTE = 1_000_000

/** The size of a file as people say it. */
export const sizeInWords = (bytes: number): string => {
  const isSmall = bytes < MEGABYTE
  return (isSmall ? bytes / 1000 : bytes / MEGABYTE).toLocaleString(language.value, {
    style: 'unit',
    unit: isSmall ? 'kilobyte' : 'megabyte',
    maximumFractionDigits: isSmall ? 0 : 1,
  })
}

/** One step with its progress, and the button that stops all of it. */
function Step({ text, counted, of, onStop }: { text: string; counted: string; of: Sent; onStop: () => void }) {
  return (
    <>
      <div class="row wrap">
        <b class="grow" role="status">
          {text}
        </b>
        <span class="muted sm">{counted}</span>
        <button type="button" class="btn small" onClick={onStop}>
          {words().common.cancel}
        </button>
      </div>
      <progress aria-label={text} max={Math.max(1, of.total)} value={of.done} />
    </>
  )
}

/** A file on its way to the server. */
export function Sending({ name, sent, onStop }: { name: string; sent: Sent; onStop: () => void }) {
  const w = adminWords().new
  const counted = fill(w.counted, { done: sizeInWords(sent.done), total: sizeInWords(sent.total) })
  return (
    <section class="panel">
      <div class="pb stack">
        <Step text={fill(w.sending, { file: name })} counted={counted} of={sent} onStop={onStop} />
      </div>
    </section>
  )
}

/** The input of an import from an address. */
export interface AddressInput {
  url: string
  source: Schemas['ContentImportSource']
  wait: false
}

/** The draft or change request that receives the content. */
export interface Receiver {
  space: string
  /** The address to which a file is sent. */
  path: string
  /** Starts an import from an address. Returns its ID. Throws `ApiError`. */
  fetch(input: AddressInput): Promise<string>
  /** Keeps the imported content and shows it. Throws `ApiError`. */
  keep(): Promise<void>
  /** Drops everything. Throws `ApiError`. */
  drop(): Promise<void>
}

interface ImportingProps {
  receiver: Receiver
  id: string
  /** The button after the import. */
  keepLabel: string
  onBack: () => void
}

/** The import of a file or an address into what was created to receive it. */
export function Importing({ receiver, id, keepLabel, onBack }: ImportingProps) {
  const { found, error } = useImport(receiver.space, id)
  const back = () =>
    attempt(async () => {
      await receiver.drop()
      onBack()
    })
  const w = adminWords().new
  const isRunning = found === null || found.state === 'queued' || found.state === 'running'
  const done = found?.importedResources ?? 0
  const total = found?.totalResources ?? 0
  return (
    <section class="panel">
      <div class="pb stack">
        {error !== null && <Note tone="bad">{explain(error)}</Note>}
        {isRunning ? (
          <Step
            text={w.stages[found?.stage ?? 'queued']}
            counted={fill(w.counted, { done, total })}
            of={{ done, total }}
            onStop={back}
          />
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
          <Imported found={found} keepLabel={keepLabel} keep={() => attempt(receiver.keep)} onBack={back} />
        )}
      </div>
    </section>
  )
}

/** Follows an import to its end. */
function useImport(space: string, id: string): { found: Import | null; error: unknown } {
  const [found, setFound] = useState<Import | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const params = { path: { spaceId: space, importId: id } }
    let timer: ReturnType<typeof setTimeout> | undefined
    let isGone = false
    const read = async () => {
      try {
        const state = await body(api.GET('/v1/spaces/{spaceId}/content/imports/{importId}', { params }))
        if (isGone) return
        setFound(state)
        setError(null)
        if (state.state === 'queued' || state.state === 'running')
          timer = setTimeout(() => void read(), WHILE_RUNNING_MS)
      } catch (thrown) {
        if (isGone) return
        setError(thrown)
        timer = setTimeout(() => void read(), WHILE_RUNNING_MS * 4)
      }
    }
    void read()
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [space, id])
  return { found, error }
}

interface ImportedProps {
  found: Import
  keepLabel: string
  keep: () => unknown
  onBack: () => void
}

function Imported({ found, keepLabel, keep, onBack }: ImportedProps) {
  const w = adminWords().new
  return (
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
      {found.moreFailures !== undefined && <p class="sm muted">{plural(w.moreFailures, found.moreFailures)}</p>}
      <div class="row wrap">
        <button type="button" class="btn primary" onClick={keep}>
          {keepLabel}
        </button>
        <button type="button" class="btn quiet" onClick={onBack}>
          {w.discard}
        </button>
      </div>
    </>
  )
}
