/** `${sls:stage}`: put in by osls, which leaves CloudFormation's own alone. */
export const stage = variable('sls:stage');

/** `${AWS::Region}`: put in by CloudFormation, inside an `Fn::Sub`. */
export function cloud(name: string): string {
  return variable(`AWS::${name}`);
}

/** What may be said when deploying: `--stage`, `--region`. */
export function option(name: string, preset: string): string {
  return variable(`opt:${name}, '${preset}'`);
}

/** Resolved by CloudFormation when it deploys: packaging needs no credentials, and the template holds no secret. */
export function secret(name: string, key = ''): string {
  return `{{resolve:secretsmanager:gatehouse/${stage}/${name}:SecretString${key}}}`;
}

function variable(name: string): string {
  return `$\{${name}}`;
}
