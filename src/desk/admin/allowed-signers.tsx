/** The SSH keys whose signatures on commits count as verified on the sites of an organization. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { Show } from '../shell/notes.js'
import { toast } from '../shell/toast.js'
import { AreaField, FormError, Submit, useForm } from './form.js'
import { adminWords } from './words.js'

const PATH = '/v1/orgs/{organizationId}/allowed-signers'

export function AllowedSigners({ organization }: { organization: string }) {
  const params = { path: { organizationId: organization } }
  const data = useData(`organization/${organization}/allowed-signers`, () => body(api.GET(PATH, { params })))
  return (
    <Show data={data}>
      {(value) => <Form key={value.updatedAt} organization={organization} signers={value.signers} />}
    </Show>
  )
}

function Form({ organization, signers }: { organization: string; signers: string }) {
  const w = adminWords().general
  const [text, setText] = useState(signers)
  const form = useForm(async () => {
    const params = { path: { organizationId: organization } }
    await body(api.PUT(PATH, { params, body: { signers: text } }))
    await reload(`organization/${organization}/allowed-signers`)
    toast(w.signersSaved)
  })
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="pb stack">
        <AreaField
          label={w.signers}
          help={w.signersHelp}
          error={form.error('signers')}
          value={text}
          onInput={setText}
          rows={4}
          mono
        />
        <FormError form={form} />
        <div class="row">
          <Submit form={form}>{w.save}</Submit>
        </div>
      </div>
    </form>
  )
}
