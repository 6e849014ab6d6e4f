import { inject } from 'vitest';
import { loginContract } from '#test/contracts/end-to-end/login.ts';

loginContract('a real kube-apiserver', inject('kube'));
