/**
 * Previews a repository before its import. It is read into a space that only admins see. Going back deletes that
 * space. Nothing is sent to the repository.
 */
import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.js'
import { open } from '../route.js'
import { Icon } from '../shell/icons.js'
import { act, branchesOf, branchName, changeConnection, connect } from './connection-calls.js'
import { addressHelp, hostOf, shortAddress } from './connection-words.js'
import { CredentialFields, credentialOf, kindsFor, noCredential } from './credential.js'
import { FormError, Submit, TextField, useForm } from './form.js'
import { createDraft, dropDraft } from './new-space.js'
import { adminWords } from './words.js'

/** "acme/elsa-gitbook.git" becomes "elsa gitbook". */
const titleOf = (url: string): string =>
  (shortAddress(url).split('/').at(-1) ?? '').replace(/[-_.]+/g, ' ').trim() || shortAddress(url)

const BRANCH_BEFORE_LOOK = 'main'

export function NewFromRepository({ organization }: { organization: string }) {
  const w = adminWords().new
  const [url, setUrl] = useState('')
  const provider = hostOf(url)
  const [credential, setCredential] = useState(noCredential('none'))
  const form = useForm(async () => {
    const space = await createDraft(organization, titleOf(url))
    try {
      const kind = kindsFor(provider, url).includes(credential.kind) ? credential.kind : 'sshKey'
      const connection = await connect(space.id, {
        url,
        ref: BRANCH_BEFORE_LOOK,
        direction: 'import',
        credential: credentialOf({ ...credential, kind }),
        paused: true,
      })
      const { defaultBranch } = await branchesOf(connection)
      if (defaultBranch === null) throw new ApiError(400, w.noBranch, [{ path: '/url', message: w.noBranch }])
      await changeConnection(connection, { ref: branchName(defaultBranch) })
      await act(connection, 'resume')
      open(`/new/found?space=${space.id}&connection=${connection.id}`)
    } catch (error) {
      await dropDraft(space.id).catch(() => {})
      // The API's reason why the repository cannot be read is shown at the address field.
      throw error instanceof ApiError && error.status === 409
        ? new ApiError(409, error.message, [{ path: '/url', message: error.message }], error.requestId)
        : error
    }
  })
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="ph">
        <h2 class="h grow">{w.choices.repository.name}</h2>
        <span class="sm muted hide-s">{w.nothingYet}</span>
      </div>
      <div class="pb stack">
        <TextField
          label={adminWords().connect.address}
          help={addressHelp(url)}
          error={form.error('url')}
          value={url}
          onInput={setUrl}
          mono
          required
          placeholder="https://github.com/acme/docs.git"
        />
        <CredentialFields provider={provider} url={url} value={credential} onChange={setCredential} form={form} />
        <FormError form={form} />
        <div class="row wrap">
          <Submit form={form}>
            {form.isBusy ? w.looking : w.look}
            <Icon name="arrow" />
          </Submit>
          <span class="sm muted">{w.lookHelp}</span>
        </div>
      </div>
    </form>
  )
}
