/** The tokens with which members use the API, and their exemptions from single sign-on. */
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { ListEnd, parameter, usePages } from '../admin/lists.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { adminWords } from '../admin/words.js'
import { Chip, Empty, Show } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

type MemberToken = Schemas['MemberToken']

export function MemberTokens({ org = '' }: { org?: string }) {
  const w = adminWords().tokens
  return (
    <OrganizationFrame id={org} part="tokens">
      {(organization) => (
        <>
          <p class="ink2">
            {w.lead} <a href="/settings/tokens">{w.own}</a>
          </p>
          <Tokens organization={organization} />
        </>
      )}
    </OrganizationFrame>
  )
}

function Tokens({ organization }: { organization: Organization }) {
  const w = adminWords().tokens
  const [ask, question] = useQuestion()
  const path = { organizationId: organization.id }
  const user = parameter('user')
  const key = `orgs/${organization.id}/tokens?${user}`
  const list = usePages<MemberToken>(key, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/tokens', {
        params: { path, query: { ...query, ...(user === '' ? {} : { user }) } },
      }),
    ),
  )
  const exempt = useData(
    `orgs/${organization.id}/sso-tokens`,
    async () =>
      new Set(
        (await body(api.GET('/v1/orgs/{organizationId}/sso/tokens', { params: { path } }))).items.map(
          ({ token }) => token,
        ),
      ),
  ).value
  const revoke = (token: MemberToken) =>
    ask({
      title: fill(w.revokeTitle, { label: token.label }),
      text: fill(w.revokeText, { name: token.user.displayName }),
      button: w.revoke,
      run: async () => {
        const params = { path: { ...path, memberTokenId: token.id } }
        await body(api.DELETE('/v1/orgs/{organizationId}/tokens/{memberTokenId}', { params }))
        await reload(key)
      },
    })
  const setExempt = (token: MemberToken, isExempt: boolean) =>
    attempt(async () => {
      const params = { path: { ...path, tokenId: token.id } }
      await body(
        isExempt
          ? api.PUT('/v1/orgs/{organizationId}/sso/tokens/{tokenId}', { params })
          : api.DELETE('/v1/orgs/{organizationId}/sso/tokens/{tokenId}', { params }),
      )
      await reload(`orgs/${organization.id}/sso-tokens`)
      toast(fill(isExempt ? w.exempted : w.notExempted, { label: token.label }))
    })
  return (
    <Show data={list.data} retry={() => void list.again()}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="key" title={w.none} />
        ) : (
          <>
            <div class="panel">
              <table class="tbl cards">
                <thead>
                  <tr>
                    <th>{w.token}</th>
                    <th>{w.member}</th>
                    <th class="hide-m">{w.may}</th>
                    <th class="hide-s">{w.made}</th>
                    <th>
                      <span class="vh">{w.actions}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((token) => (
                    <tr key={token.id}>
                      <td>
                        <b>{token.label}</b> {token.session && <Chip icon="desktop">{w.session}</Chip>}{' '}
                        {exempt?.has(token.id) && <Chip icon="shield">{w.isExempt}</Chip>}
                      </td>
                      <td>
                        <span class="who">
                          <Avatar name={token.user.displayName} size="s" />
                          {token.user.displayName}
                        </span>
                      </td>
                      <td class="hide-m">
                        {token.readOnly ? w.readOnly : w.readWrite} · {token.scopes.join(', ')}
                      </td>
                      <td class="hide-s muted">
                        <Time iso={token.createdAt} />
                        {token.expiresAt && (
                          <>
                            {' · '}
                            {w.until} <Time iso={token.expiresAt} />
                          </>
                        )}
                      </td>
                      <td class="num nw">
                        {organization.sso && !token.session && (
                          <button
                            type="button"
                            class="btn small"
                            onClick={() => setExempt(token, !exempt?.has(token.id))}
                          >
                            {exempt?.has(token.id) ? w.unexempt : w.exempt}
                          </button>
                        )}{' '}
                        <button type="button" class="btn small quiet" onClick={() => revoke(token)}>
                          {w.revoke}
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <ListEnd of={list} />
            {question}
          </>
        )
      }
    </Show>
  )
}
