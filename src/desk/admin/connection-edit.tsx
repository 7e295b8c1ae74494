/** Corrects a connection: a renamed branch or folder, another direction, a new credential. */
import { useState } from 'preact/hooks'
import { useData } from '../api/data.js'
import { Dialog } from '../shell/dialog.js'
import { Switch } from '../shell/fields.js'
import { toast } from '../shell/toast.js'
import { branchesOf, branchName, changeConnection, type Connection, type Direction } from './connection-calls.js'
import { CredentialFields, credentialOf, noCredential } from './credential.js'
import { ChoiceField, FormError, Submit, TextField, useForm } from './form.js'
import { adminWords } from './words.js'

export function ConnectionEdit({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const w = adminWords().connection
  const [url, setUrl] = useState(connection.url)
  const [ref, setRef] = useState(branchName(connection.ref))
  const [folder, setFolder] = useState(connection.repoProjectDirectory)
  const [direction, setDirection] = useState<Direction>(connection.direction)
  const [mode, setMode] = useState(connection.exportMode)
  const [message, setMessage] = useState(connection.commitMessage ?? '')
  const [requests, setRequests] = useState(connection.pullRequests.changeRequests)
  const [previews, setPreviews] = useState(connection.pullRequests.preview)
  const [isNew, setNew] = useState(connection.failure?.cause === 'unauthorized')
  const [credential, setCredential] = useState(noCredential(connection.credential.kind))
  const branches = useData(`space/${connection.space}/branches/${connection.id}`, () => branchesOf(connection))
  const form = useForm(async () => {
    await changeConnection(connection, {
      url,
      ref,
      repoProjectDirectory: folder,
      direction,
      exportMode: mode,
      commitMessage: message === '' ? null : message,
      pullRequests: { changeRequests: requests, preview: previews },
      ...(isNew ? { credential: credentialOf(credential) } : {}),
    })
    toast(w.changed)
    onClose()
  })
  return (
    <Dialog title={w.editTitle} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <TextField label={w.address} error={form.error('url')} value={url} onInput={setUrl} mono required />
          {branches.value ? (
            <ChoiceField
              label={w.branch}
              help={w.branchHelp}
              error={form.error('ref')}
              value={ref}
              of={[...new Set([ref, ...branches.value.branches.map((one) => branchName(one.ref))])].map(
                (name) => [name, name] as const,
              )}
              onChange={setRef}
            />
          ) : (
            <TextField
              label={w.branch}
              help={branches.error?.message}
              error={form.error('ref')}
              value={ref}
              onInput={setRef}
              mono
              required
            />
          )}
          <TextField
            label={w.folder}
            help={w.folderHelp}
            error={form.error('repoProjectDirectory')}
            value={folder}
            onInput={setFolder}
            mono
          />
          <ChoiceField
            label={w.direction}
            help={w.directionMeans[direction]}
            error={form.error('direction')}
            value={direction}
            of={[
              ['import', w.directions.import],
              ['both', w.directions.both],
              ['export', w.directions.export],
            ]}
            onChange={setDirection}
          />
          {direction !== 'import' && (
            <>
              <ChoiceField
                label={w.mode}
                error={form.error('exportMode')}
                value={mode}
                of={[
                  ['single', w.modes.single],
                  ['commits', w.modes.commits],
                ]}
                onChange={setMode}
              />
              <TextField
                label={w.commitMessage}
                help={w.commitMessageHelp}
                error={form.error('commitMessage')}
                value={message}
                onInput={setMessage}
              />
            </>
          )}
          {connection.provider !== 'generic' && (
            <>
              <Switch checked={requests} onChange={setRequests}>
                {w.exportRequests}
              </Switch>
              <Switch checked={previews} onChange={setPreviews}>
                {w.previewRequests}
              </Switch>
            </>
          )}
          <Switch checked={isNew} onChange={setNew}>
            {w.replaceCredential}
          </Switch>
          {isNew && (
            <CredentialFields
              provider={connection.provider}
              url={url}
              value={credential}
              onChange={setCredential}
              form={form}
            />
          )}
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.save}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}
