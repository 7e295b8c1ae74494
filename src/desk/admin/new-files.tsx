/** Imports a file of the reader, or a website or document at an address, into a new space or an existing one. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError, api, body, type Schemas } from '../api/client.js'
import { maxFileBytes, type Sent, sendForm } from '../api/upload.js'
import { open } from '../route.js'
import { Field } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { fill } from '../words/index.js'
import { ChoiceField, type Form, FormError, Segments, Submit, TextField, useForm } from './form.js'
import { Importing, type Receiver, Sending, sizeInWords } from './importing.js'
import { createDraft, dropDraft, keepDraft } from './new-space.js'
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

/** Sends a file. Returns the ID of its import. Throws `ApiError`. */
async function sendFile(
  path: string,
  file: File,
  how: { onProgress: (sent: Sent) => void; signal: AbortSignal },
): Promise<string> {
  const form = new FormData()
  form.append('source', kindOf(file.name) ?? '')
  form.append('wait', 'false')
  form.append('file', file, file.name)
  const made = await sendForm(path, form, how)
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

interface ImportProps {
  title: string
  /** The effect of the import, in a few words. */
  hint: string
  /** The button after the import. */
  keepLabel: string
  /** Creates what receives the content. Throws `ApiError`. */
  begin: (name: string) => Promise<Receiver>
  /** The fields after the source. */
  children: (form: Form) => ComponentChildren
  /** Called with a name that fits the file. */
  onFile?: (name: string, before: string | null) => void
}

/** Draws the form, and the progress of the import. */
export function ImportForm({ title, hint, keepLabel, begin, children, onFile }: ImportProps) {
  const w = adminWords().new
  const [from, setFrom] = useState<'file' | 'address'>('file')
  const [file, setFile] = useState<File | null>(null)
  const [source, setSource] = useState<Source>('website')
  const [url, setUrl] = useState('')
  const [sent, setSent] = useState<Sent | null>(null)
  const [started, setStarted] = useState<{ receiver: Receiver; id: string } | null>(null)
  const stop = useRef(new AbortController())
  const start = async (receiver: Receiver): Promise<string> => {
    if (from !== 'file' || !file) return receiver.fetch({ url, source, wait: false })
    stop.current = new AbortController()
    setSent({ done: 0, total: file.size })
    return sendFile(receiver.path, file, { onProgress: setSent, signal: stop.current.signal })
  }
  const form = useForm(async () => {
    if (from === 'file') await checkFile(file)
    const receiver = await begin(from === 'file' && file ? file.name : url)
    try {
      setStarted({ receiver, id: await start(receiver) })
    } catch (error) {
      await receiver.drop().catch(() => {})
      if (!stop.current.signal.aborted) throw error
    } finally {
      setSent(null)
    }
  })
  const choose = (chosen: File | null) => {
    setFile(chosen)
    if (chosen) onFile?.(titleOf(chosen.name), file && titleOf(file.name))
  }
  if (started) return <Importing {...started} keepLabel={keepLabel} onBack={() => setStarted(null)} />
  return (
    <>
      {sent && file && <Sending name={file.name} sent={sent} onStop={() => stop.current.abort()} />}
      <form class="panel" hidden={sent !== null} onSubmit={form.submit}>
        <div class="ph">
          <h2 class="h grow">{title}</h2>
          <span class="sm muted hide-s">{hint}</span>
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
          {children(form)}
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{form.isBusy ? w.importing : w.import}</Submit>
          </div>
        </div>
      </form>
    </>
  )
}

/** Imports into a new space, which only admins see until it is kept. */
export function NewFromFiles({ organization }: { organization: string }) {
  const w = adminWords().new
  const [title, setTitle] = useState('')
  const begin = async (): Promise<Receiver> => {
    const { id } = await createDraft(organization, title)
    return {
      space: id,
      path: `/v1/spaces/${id}/content/import`,
      fetch: async (input) =>
        (
          await body(
            api.POST('/v1/spaces/{spaceId}/content/import', { params: { path: { spaceId: id } }, body: input }),
          )
        ).import,
      keep: async () => {
        await keepDraft(id, title)
        open(`/s/${id}`)
      },
      drop: () => dropDraft(id),
    }
  }
  return (
    <ImportForm
      title={w.choices.files.name}
      hint={w.nothingYet}
      keepLabel={w.openSpace}
      begin={begin}
      onFile={(name, before) => (title === '' || title === before) && setTitle(name)}
    >
      {(form) => <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />}
    </ImportForm>
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
