import type { JsonObject } from '#shared/domain/json.ts';
import type { Signing } from './signing.ts';

export type OpenId = {
  /** At `/.well-known/openid-configuration`. */
  readonly discovery: JsonObject;
  /** At `/openid/v1/jwks`. */
  readonly keySet: JsonObject;
};

/** From these anybody verifies the tokens without asking the cluster. `url` is where the cluster is reached. */
export function openIdOf(signing: Signing, issuer: string, url: string): OpenId {
  return {
    keySet: signing.keySet,
    discovery: {
      issuer,
      jwks_uri: `${url}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [signing.algorithm],
    },
  };
}
