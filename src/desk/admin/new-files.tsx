/** Imports a file of the reader, or a website or document at an address, into a new space. */
import { useRef, useState } from 'preact/hooks'
import { ApiError, api, body, type Schemas } from '../api/client.js'
import { maxFileBytes, type Sent, sendForm } from '../api/upload.js'
import { Field } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { fill } from '../words/index.js'
import { ChoiceField, type Form, FormError, Segments, Submit, TextField, useForm } from './form.js'
import { Importing, Sending, sizeInWords } from './importing.js'
import { createDraft, dropDraft } from './new-space.js'
import { adminWords } from './words.js'

type Source = Schemas['ContentImportSource']

const ADDRESSES = [
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

/** The source of a file, by the extension of its name. */
const KINDS: Readonly<Record<string, Source>> = {
  zip: 'zip',
  docx: 'docx',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
}
const ENDING = /\.([a-z]+)$/i
const kindOf = (name: string): Source | undefined => KINDS[ENDING.exec(name)?.[1]?.toLowerCase() ?? '']
/** "acme-handbook.zip" becomes "acme handbook". */
const titleOf = (name: string): string =>
  name
    .replace(ENDING, '')
    .replace(/[-_.]+/g, ' ')
    .trim()

/** Sends a file into a space. Returns the ID of its import. Throws `ApiError`. */
async function sendFile(
  spaceId: string,
  file: File,
  how: { onProgress: (sent: Sent) => void; signal: AbortSignal },
): Promise<string> {
  const form = new FormData()
  form.append('source', kindOf(file.name) ?? '')
  form.append('wait', 'false')
  form.append('file', file, file.name)
  const made = await sendForm(`/v1/spaces/${spaceId}/content/import`, form, how)
  return typeof made === 'object' && made !== null && 'import' in made ? String(made.import) : ''
}

/** Throws an error of the field if a file cannot be imported. It is known before a byte is sent. */
async function checkFile(file: File | null): Promise<File> {
  const w = adminWords().new
  const refuse = (message: string) => new ApiError(400, message, [{ path: '/file', message }])
  if (!file) throw refuse(w.noFile)
  if (kindOf(file.name) === undefined) throw refuse(fill(w.otherFile, { file: file.name }))
  const most = await maxFileBytes()
  const sizes = { file: file.name, size: sizeInWords(file.size), most: sizeInWords(most) }
  if (file.size > most) throw refuse(fill(w.tooLarge, sizes))
  return file
}

/** Draws the form, and the progress of the import. */
export function NewFromFiles({ organization }: { organization: string }) {
  const w = adminWords().new
  const [from, setFrom] = useState<'file' | 'address'>('file')
  const [file, setFile] = useState<File | null>(null)
  const [source, setSource] = useState<Source>('website')
  const [url, setUrl] = useState('')
  const [title, setTitle] = useState('')
  const [sent, setSent] = useState<Sent | null>(null)
  const [started, setStarted] = useState<{ space: string; id: string } | null>(null)
  const stop = useRef(new AbortController())
  const start = async (spaceId: string): Promise<string> => {
    if (from === 'file' && file) {
      stop.current = new AbortController()
      setSent({ done: 0, total: file.size })
      return sendFile(spaceId, file, { onProgress: setSent, signal: stop.current.signal })
    }
    const params = { path: { spaceId } }
    const made = api.POST('/v1/spaces/{spaceId}/content/import', { params, body: { url, source, wait: false } })
    return (await body(made)).import
  }
  const form = useForm(async () => {
    if (from === 'file') await checkFile(file)
    const space = await createDraft(organization, title)
    try {
      setStarted({ space: space.id, id: await start(space.id) })
    } catch (error) {
      await dropDraft(space.id).catch(() => {})
      if (!stop.current.signal.aborted) throw error
    } finally {
      setSent(null)
    }
  })
  const choose = (chosen: File | null) => {
    setFile(chosen)
    if (chosen && (title === '' || (file && title === titleOf(file.name)))) setTitle(titleOf(chosen.name))
  }
  if (started) return <Importing {...started} title={title} onBack={() => setStarted(null)} />
  return (
    <>
      {sent && file && <Sending name={file.name} sent={sent} onStop={() => stop.current.abort()} />}
      <form class="panel" hidden={sent !== null} onSubmit={form.submit}>
        <div class="ph">
          <h2 class="h grow">{w.choices.files.name}</h2>
          <span class="sm muted hide-s">{w.nothingYet}</span>
        </div>
        <div class="pb stack">
          <div class="row">
            <Segments
              label={w.from}
              value={from}
              of={[
                ['file', w.fromFile],
                ['address', w.fromAddress],
              ]}
              onChange={setFrom}
            />
          </div>
          {from === 'file' ? (
            <FileField form={form} file={file} onChoose={choose} />
          ) : (
            <Address form={form} source={source} onSource={setSource} url={url} onUrl={setUrl} />
          )}
          <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{form.isBusy ? w.importing : w.import}</Submit>
          </div>
        </div>
      </form>
    </>
  )
}

interface AddressProps {
  form: Form
  source: Source
  onSource: (source: Source) => void
  url: string
  onUrl: (url: string) => void
}

function Address({ form, source, onSource, url, onUrl }: AddressProps) {
  const w = adminWords().new
  return (
    <>
      <ChoiceField
        label={w.source}
        help={w.sources[source].help}
        error={form.error('source')}
        value={source}
        of={ADDRESSES.map((one) => [one, w.sources[one].name] as const)}
        onChange={onSource}
      />
      <TextField
        label={w.url}
        help={w.urlHelp}
        error={form.error('url')}
        value={url}
        onInput={onUrl}
        type="url"
        mono
        required
      />
    </>
  )
}

/** A file to choose or to drop. */
function FileField({ form, file, onChoose }: { form: Form; file: File | null; onChoose: (file: File | null) => void }) {
  const w = adminWords().new
  const [isOver, setOver] = useState(false)
  const over = (value: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(value)
  }
  const drop = (event: DragEvent) => {
    over(false)(event)
    onChoose(event.dataTransfer?.files[0] ?? null)
  }
  return (
    <Field label={w.file} help={w.fileKinds} error={form.error('file') ?? form.error('source')}>
      {(field) => (
        <label class="drop" data-over={isOver} onDragOver={over(true)} onDragLeave={over(false)} onDrop={drop}>
          <Icon name={file ? 'page' : 'upload'} />
          <span class="grow">{file ? file.name : w.dropFile}</span>
          {file && <span class="muted sm">{sizeInWords(file.size)}</span>}
          <span class="btn small" aria-hidden="true">
            {file ? w.otherChoice : w.choose}
          </span>
          <input
            {...field}
            type="file"
            class="vh"
            accept={Object.keys(KINDS)
              .map((ending) => `.${ending}`)
              .join(',')}
            onChange={(event) => onChoose(event.currentTarget.files?.[0] ?? file)}
          />
        </label>
      )}
    </Field>
  )
}
